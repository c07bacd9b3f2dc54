// Encodes the parts of protobuf that a trace needs: numbers, texts and nested messages. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace xsched::console {

class ProtobufMessage {
public:
    void number(uint32_t field, uint64_t value) {
        varint(uint64_t{field} << 3);
        varint(value);
    }
    void fixed(uint32_t field, uint64_t value) {
        varint(uint64_t{field} << 3 | 1);
        for (int byte = 0; byte < 8; ++byte) bytes_ += static_cast<char>(value >> (8 * byte));
    }
    void text(uint32_t field, std::string_view value) {
        varint(uint64_t{field} << 3 | 2);
        varint(value.size());
        bytes_ += value;
    }
    void message(uint32_t field, const ProtobufMessage& value) { text(field, value.bytes_); }

    const std::string& bytes() const { return bytes_; }
    void clear() { bytes_.clear(); }

private:
    void varint(uint64_t value) {
        for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
        bytes_ += static_cast<char>(value);
    }
    std::string bytes_;
};

}  // namespace xsched::console
