// A small seeded generator; one per thread.
#pragma once

#include <cstdint>

namespace order {

class Random {
public:
    explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL + 0xD1B54A32D192ED03ULL) {}

    uint32_t next() {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
        const auto mixed = static_cast<uint32_t>(((state_ >> 18) ^ state_) >> 27);
        const auto turn = static_cast<uint32_t>(state_ >> 59);
        return (mixed >> turn) | (mixed << ((32 - turn) & 31));
    }
    uint32_t below(uint32_t bound) { return static_cast<uint32_t>((uint64_t{next()} * bound) >> 32); }
    // True once in `times`.
    bool once_in(uint32_t times) { return below(times) == 0; }

private:
    uint64_t state_;
};

}  // namespace order
