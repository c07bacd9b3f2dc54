#include "platform/hip/hal/cu_mask.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace xsched::hip::kfd {
namespace {

constexpr uint32_t kPart = 8;         // a victim keeps one in so many
constexpr uint32_t kFewUnknown = 32;  // one in each array of the largest GPUs

// Returns the number behind `name` at the start of a line; 0: there is no such line.
uint32_t number_behind(const char* text, const char* name) {
    const size_t length = strlen(name);
    for (const char* line = text; line != nullptr; line = strchr(line, '\n')) {
        if (*line == '\n') ++line;
        if (strncmp(line, name, length) == 0 && line[length] == ' ')
            return static_cast<uint32_t>(strtoul(line + length, nullptr, 10));
    }
    return 0;
}

}  // namespace

CuMask mask_of(const uint32_t* words, uint32_t bits) {
    CuMask mask;
    mask.bits = std::min(bits, kMostMaskBits) / 32 * 32;
    std::copy_n(words, mask.bits / 32, mask.words);
    return mask;
}

CuMask whole(const CuMask& own) {
    if (own.bits != 0) return own;
    CuMask all;
    all.bits = kMostMaskBits;
    std::fill_n(all.words, kMostMaskBits / 32, UINT32_MAX);
    return all;
}

CuMask first_units(const CuMask& own, uint32_t count) {
    CuMask mask = whole(own);
    for (uint32_t bit = 0; bit < mask.bits; ++bit) {
        uint32_t& word = mask.words[bit / 32];
        const uint32_t one = 1u << bit % 32;
        if ((word & one) == 0) continue;
        if (count > 0)
            --count;
        else
            word &= ~one;
    }
    return mask;
}

GpuShape shape_in(const char* properties) {
    const uint32_t simds = number_behind(properties, "simd_count");
    const uint32_t per_unit = number_behind(properties, "simd_per_cu");
    return {per_unit != 0 ? simds / per_unit : 0, number_behind(properties, "array_count"),
            number_behind(properties, "num_xcc")};
}

uint32_t few_units(const GpuShape& shape) {
    if (shape.units == 0) return kFewUnknown;
    const uint32_t few = std::max({shape.units / kPart, shape.arrays, shape.dies, 2u});
    return (few + 1) / 2 * 2;
}

}  // namespace xsched::hip::kfd
