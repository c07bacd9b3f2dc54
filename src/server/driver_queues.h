// How many compute queues AMD's kernel driver has on a device, of all programs, scheduled or not. With more than the
// hardware takes at once, the kernel gives them the device in turns, and no policy of ours changes that. Front thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/kernel_queues.h"

namespace xsched::server {

class DriverQueues {
public:
    // `root`: below which /sys is; a test has a folder.
    explicit DriverQueues(std::string root = "") : root_(std::move(root)) {}

    // Of its partitions the one with most for what it takes at once. Null: another driver's device, nobody has a queue
    // there, or the files could not be read in time. Good until the next call.
    const hip::KernelQueues* of(uint64_t device, int64_t now_ns);
    bool any_take_turns(int64_t now_ns);

private:
    void look(int64_t now_ns);

    std::string root_;
    std::vector<hip::KernelQueues> found_;
    int64_t looked_ns_ = 0;
};

}  // namespace xsched::server
