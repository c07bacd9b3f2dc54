// Which threads of the program are inside a call that uses the device's memory, and whether any may be: while its
// memory is being moved, or is on the host, they wait in front of such calls. Only programs whose memory may be moved
// (XSCHED_EVICTABLE) are counted so; any other pays for one comparison. Any thread.
//
// A thread that was inside a call when the program became such a one is not counted: it cannot know memory that is
// allocated later.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/hot.h"

namespace xsched::stream {

// 1: this program has memory that may be moved, or will have some.
extern std::atomic<bool> g_memory_moves;
inline bool memory_moves() { return g_memory_moves.load(std::memory_order_relaxed); }

// One call of a program's thread that uses the device.
class DeviceUse {
public:
    XSCHED_HOT DeviceUse() {
        if (memory_moves()) [[unlikely]]
            enter();
    }
    XSCHED_HOT void leave() {
        if (inside_ != nullptr) [[unlikely]]
            end();
    }

private:
    void enter();
    void end();
    std::atomic<int32_t>* inside_ = nullptr;  // where it is counted; nullptr: nowhere
};

// Keeps the program's threads from using the device from now on, and waits until none does. Returns false after
// `longest_ns`: the threads go on. Errands' thread alone.
bool keep_threads_off(int64_t longest_ns);
void let_threads_on();
// Forgets all uses. Call in a forked child, which has none of the threads.
void forget_device_use();

}  // namespace xsched::stream
