// FNV-1a: a hash that is the same in every process and on every run. One thread per object.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xsched::base {

class Fnv32 {
public:
    void add(unsigned char byte) { value_ = (value_ ^ byte) * 16777619u; }
    void add(const void* bytes, size_t count) {
        for (size_t i = 0; i < count; ++i) add(static_cast<const unsigned char*>(bytes)[i]);
    }
    uint32_t value() const { return value_; }

private:
    uint32_t value_ = 2166136261u;
};

inline uint32_t fnv32(const void* bytes, size_t count) {
    Fnv32 hash;
    hash.add(bytes, count);
    return hash.value();
}

}  // namespace xsched::base
