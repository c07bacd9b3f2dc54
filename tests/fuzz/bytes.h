// Numbers and texts taken from a fuzz input, front to back; 0 and "" once it is used up. One thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace xsched::fuzz {

class Bytes {
public:
    explicit Bytes(std::string_view input) : left_(input) {}

    bool empty() const { return left_.empty(); }
    // All that is left.
    std::string_view rest() { return take(left_.size()); }
    std::string_view take(size_t bytes) {
        const std::string_view taken = left_.substr(0, bytes);
        left_.remove_prefix(taken.size());
        return taken;
    }
    // Takes the input up to the next `end`, and removes that too.
    std::string_view until(char end) {
        const std::string_view taken = take(std::min(left_.find(end), left_.size()));
        take(1);
        return taken;
    }
    template <typename Number>
    Number number() {
        Number value{};
        const std::string_view from = take(sizeof(value));
        memcpy(&value, from.data(), from.size());
        return value;
    }
    // Returns a number from 0 to `limit` - 1, made of one byte of the input, or of two if the limit needs them.
    uint32_t below(uint32_t limit) {
        const uint32_t value = limit <= 256 ? number<uint8_t>() : number<uint16_t>();
        return limit == 0 ? 0 : value % limit;
    }

private:
    std::string_view left_;
};

}  // namespace xsched::fuzz
