#include "base/probe.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace {

using namespace xsched::base;

TEST(Probe, WhatIsThereIsRead) {
    const char text[] = "here";
    char copy[sizeof text] = "";
    EXPECT_EQ(read_memory(text, copy, sizeof text), sizeof text);
    EXPECT_STREQ(copy, text);
}

TEST(Probe, WhatIsNotThereIsNot) {
    int word = 7;
    errno = 42;
    for (const uintptr_t address : {uintptr_t{0}, uintptr_t{1}, uintptr_t{1234}, uintptr_t{1} << 62, ~uintptr_t{7}})
        EXPECT_FALSE(read_object(reinterpret_cast<const void*>(address), &word)) << address;
    EXPECT_EQ(word, 7);
    EXPECT_EQ(errno, 42) << "the guest's errno";
}

TEST(Probe, TheEndOfAMappingEndsTheRead) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    auto* pages =
        static_cast<char*>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(pages, MAP_FAILED);
    memset(pages, 'x', 2 * page);
    ASSERT_EQ(mprotect(pages + page, page, PROT_NONE), 0);
    char bytes[64];
    EXPECT_EQ(read_memory(pages + page - 16, bytes, 16), 16u);
    EXPECT_LT(read_memory(pages + page - 16, bytes, sizeof bytes), sizeof bytes);
    EXPECT_EQ(read_memory(pages + page, bytes, 16), 0u);
    munmap(pages, 2 * page);
}

}  // namespace
