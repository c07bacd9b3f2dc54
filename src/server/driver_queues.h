// Tells how many compute queues of all programs, scheduled by XSched or not, AMD's kernel driver has on a device. If
// there are more than the hardware takes at once, the kernel gives them the device in turns, and no policy can change
// that. Front thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/kernel_queues.h"

namespace xsched::server {

class DriverQueues {
public:
    // `root`: the folder below which /sys lies (tests use their own).
    explicit DriverQueues(std::string root = "") : root_(std::move(root)) {}

    // Returns the device's queues; of several partitions, those of the partition that is most overfull. Returns null
    // for another driver's device, if no program has a queue there, or if the files could not be read in time. The
    // result is valid until the next call.
    const hip::KernelQueues* of(uint64_t device, int64_t now_ns);
    bool any_take_turns(int64_t now_ns);

private:
    void look(int64_t now_ns);

    std::string root_;
    std::vector<hip::KernelQueues> found_;
    int64_t looked_ns_ = 0;
};

}  // namespace xsched::server
