// The data that cuda_move_storm_test.cpp and its programs share, in a mapped file.
#pragma once

#include <atomic>
#include <cstdint>

namespace xsched::test {

struct MemoryBoard {
    std::atomic<uint32_t> over;   // by the test
    std::atomic<uint64_t> steps;  // by the program
};

}  // namespace xsched::test
