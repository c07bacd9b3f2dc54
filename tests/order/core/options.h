// Command line of the order checker.
#pragma once

#include <cstdint>
#include <string>

namespace order {

struct Options {
    int64_t operations = 200'000;
    uint64_t seed = 1;
    double seconds = 0;  // 0: no limit
    int threads = 4;
    int stall_seconds = 20;  // no progress for so long is a deadlock
    uint32_t gate_every = 12;  // one command in so many waits for a user event of its own
    bool in_order = false;     // no out-of-order queues
    bool chaos = false;      // suspend and resume XQueues at random
    std::string platform;    // part of the platform's name; empty: the first one
    std::string without;     // CUDA and HIP: parts of the repertoire, with commas between them
    std::string favour;
    int explain = 3;         // CUDA and HIP: so many wrong contents are explained
    std::string fake;        // path of libfakeopencl.so, to ask it for misuse and leaks at the end
};

// False after a complaint or --help.
bool parse_options(int argc, char** argv, Options& options);

}  // namespace order
