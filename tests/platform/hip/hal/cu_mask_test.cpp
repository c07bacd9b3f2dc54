#include "platform/hip/hal/cu_mask.h"

#include <gtest/gtest.h>

namespace xsched::hip::kfd {
namespace {

TEST(CuMask, WhatWasNeverSetIsPutBackAsAll) {
    const CuMask all = whole({});
    EXPECT_EQ(all.bits, kMostMaskBits);
    for (const uint32_t word : all.words) EXPECT_EQ(word, UINT32_MAX);
    const CuMask few = first_units({}, 40);
    EXPECT_EQ(few.words[0], UINT32_MAX);
    EXPECT_EQ(few.words[1], 0xffu);
    EXPECT_EQ(few.words[2], 0u);
}

TEST(CuMask, FewAreAPartOfTheProgramsOwn) {
    const uint32_t words[] = {0x00f00000, 0x0000000f};
    const CuMask own = mask_of(words, 64);
    EXPECT_EQ(own.bits, 64u);
    const CuMask few = first_units(own, 6);
    EXPECT_EQ(few.bits, 64u);
    EXPECT_EQ(few.words[0], 0x00f00000u);
    EXPECT_EQ(few.words[1], 0x3u);
    const CuMask put_back = whole(own);
    EXPECT_EQ(put_back.bits, 64u);
    EXPECT_EQ(put_back.words[1], 0xfu);
    EXPECT_EQ(first_units(own, 100).words[1], 0xfu) << "it has no more";
}

TEST(CuMask, BitsThatTheDriverDoesNotLookAtAreLeftOut) {
    uint32_t words[64];
    std::fill_n(words, 64, 1u);
    EXPECT_EQ(mask_of(words, 2048).bits, kMostMaskBits);
}

TEST(CuMask, AnEighthOfTheUnitsButOneInEachArrayAndOnEachDie) {
    const GpuShape shape = shape_in("cpu_cores_count 0\nsimd_count 1216\nnum_xcc 8\narray_count 32\nsimd_per_cu 4\n");
    EXPECT_EQ(shape.units, 304u);
    EXPECT_EQ(shape.arrays, 32u);
    EXPECT_EQ(shape.dies, 8u);
    EXPECT_EQ(few_units(shape), 38u);
    EXPECT_EQ(few_units({80, 16, 4}), 16u);
    EXPECT_EQ(few_units({104, 8, 0}), 14u) << "in pairs";
    EXPECT_EQ(few_units({8, 0, 0}), 2u);
    EXPECT_EQ(few_units(shape_in("")), 32u) << "where nothing is known";
}

}  // namespace
}  // namespace xsched::hip::kfd
