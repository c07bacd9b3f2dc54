// Compute queues that AMD's kernel driver has of all programs, by GPU, as its files in /sys tell. With more of them
// than the hardware takes at once, the kernel gives them the GPU in turns, urgent ones as well. For xcli and xserver;
// reads two files for each queue.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xsched::hip {

struct KernelQueues {
    std::string node;       // its number in KFD's topology; a partition of a GPU has one of its own
    uint32_t address = 0;  // of the GPU, as in an XDevice's lower half: 16 bits of the PCI domain, 8 of the bus, 5 of
                           // the device, three of 0
    uint64_t queues = 0;
    uint64_t at_once = 0;  // how many the hardware takes

    bool take_turns() const { return queues > at_once; }
    // "node 1: 30 of 24 that it takes at once"
    std::string text() const;
};

// The meaning of more queues than at_once, and the remedy: ends of sentences.
inline constexpr char kTurnsMean[] = "the kernel gives them the GPU in turns, urgent ones as well";
inline constexpr char kFewerQueues[] = "run fewer programs on it, or give them GPU_MAX_HW_QUEUES=2";
// "has 30 compute queues of all programs and takes 24 at once: the kernel gives ...": of a device, for tools.
inline std::string turns_text(uint64_t queues, uint64_t at_once) {
    return "has " + std::to_string(queues) + " compute queues of all programs and takes " + std::to_string(at_once) +
           " at once: " + kTurnsMean;
}

// `root`: below which /sys is; "": this machine. GPUs without a queue, and those that do not say how many they take at
// once, are left out.
std::vector<KernelQueues> kernel_queues(const std::string& root);

}  // namespace xsched::hip
