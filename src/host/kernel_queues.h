// Counts the compute queues of all programs that AMD's kernel driver has, by GPU, from its files in /sys. If there are
// more than the hardware takes at once, the kernel gives them the GPU in turns, urgent ones as well. For xcli and
// xserver; reads two files per queue.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xsched::hip {

struct KernelQueues {
    std::string node;       // the GPU's number in KFD's topology; each partition of a GPU has its own
    // The GPU's PCI address, as in the lower half of an XDevice: 16 bits of the domain, 8 of the bus, 5 of the device,
    // and three bits that are 0.
    uint32_t address = 0;
    uint64_t queues = 0;
    uint64_t at_once = 0;  // how many queues the hardware takes

    bool take_turns() const { return queues > at_once; }
    // Returns, for example, "node 1: 30 of 24 that it takes at once".
    std::string text() const;
};

// Ends of sentences for a GPU with more queues than it takes at once: what that means, and the remedy.
inline constexpr char kTurnsMean[] = "the kernel gives them the GPU in turns, urgent ones as well";
inline constexpr char kFewerQueues[] = "run fewer programs on it, or give them GPU_MAX_HW_QUEUES=2";
// Returns, for a device in tools, "has 30 compute queues of all programs and takes 24 at once: the kernel gives ...".
inline std::string turns_text(uint64_t queues, uint64_t at_once) {
    return "has " + std::to_string(queues) + " compute queues of all programs and takes " + std::to_string(at_once) +
           " at once: " + kTurnsMean;
}

// Returns the GPUs that have queues and say how many they take at once. `root`: the folder below which /sys lies; ""
// for this machine.
std::vector<KernelQueues> kernel_queues(const std::string& root);

}  // namespace xsched::hip
