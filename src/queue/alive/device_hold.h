// The hold of this process: before a burst that is foreseen, one of its queues keeps the device by a keep-alive (work
// without effect, so that the hardware does not switch to another process) in a queue of our own, beside the program's.
// A process has one hold at a time, whichever queue has it.
//
// The hold ends some time behind the process's first launch: by then the launches keep the device by themselves, or the
// scheduler keeps the others off. Or it lasts through the whole burst (ipc::QueueSlot::warm_behind_us), as long as
// bursts usually are or until the usual number of waits: then no other process need be kept off. Or it lasts to the end
// of a burst that is about to be over (warm_to_end), and ends with the next wait. If waits have ended the last such
// holds, the hold may last longer than bursts usually do: a slow moment of the machine would otherwise cost the device
// just before the end.
//
// Any thread, but for warm_if_asked. Plain atomics; takes queues' locks itself.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/hot.h"
#include "queue/alive/burst_waits.h"
#include "queue/alive/end_waits.h"

namespace xsched::queue {

class KeepAlive;

class DeviceHold {
public:
    static constexpr uint32_t kBurstsAfterFree = 2;

    // Agent thread: if a burst of the queue is about to begin, holds the device, or gives it a little work so that it
    // has switched to this context by then.
    void warm_if_asked(KeepAlive& queue);
    // Returns whether the device is held before a burst whose first launch has not come.
    bool awaits_launch() const { return awaiting_.load(std::memory_order_relaxed) != nullptr; }
    // Notes a launch of the process, in any queue.
    void launched();
    // Notes the begin of a wait for any of the process's queues.
    XSCHED_HOT void wait_begins();
    // Returns whether the hold lasts through the burst under way.
    bool lasts_through() const;
    // Ends the hold.
    void end();
    // Ends the hold before a call that frees device memory, and skips the next kBurstsAfterFree holds. A program that
    // frees memory in every burst, or every second one, therefore gets no hold.
    void frees_memory();

private:
    void before_burst(KeepAlive& queue, int64_t ns, int64_t through_ns);
    void to_end(KeepAlive& queue, int64_t ns);
    bool put(KeepAlive& queue, uint32_t number, int64_t ns, int64_t behind_ns);
    KeepAlive* let_go();

    // The queue that holds the device, and the one whose first launch is awaited. Objects of queues are never freed
    // (pool.h).
    std::atomic<KeepAlive*> holder_{nullptr};
    std::atomic<KeepAlive*> awaiting_{nullptr};
    std::atomic<int64_t> until_ns_{0};  // when the hold ends at the latest
    std::atomic<uint32_t> skipped_{0};  // number of bursts to come that get no hold
    std::atomic<bool> ends_with_wait_{false};
    // For a hold through a whole burst: how long it lasts behind the first launch, if that comes in time.
    std::atomic<int64_t> through_ns_{0};
    std::atomic<int64_t> waits_until_ns_{0};
    // True if the burst's last wait has ended the hold. Then awaiting_ only watches whether the burst goes on behind
    // that wait.
    std::atomic<bool> let_go_early_{false};
    BurstWaits burst_waits_;  // of holds through bursts
    EndWaits end_waits_;  // of holds to the end of bursts
};

// The hold of this process.
extern constinit DeviceHold g_hold;

}  // namespace xsched::queue
