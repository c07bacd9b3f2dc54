// The Level Zero side of an XQueue: what device.h asks of hardware, with events of ours (marks.h). A hold is an event
// that a command waits for until the host signals it. Behind each command stands another one, which the device signals.
// The driver gives no command back, so a hold that is dropped opens as well. At level 2 a gate stands before each
// command (gate.h).
#pragma once

#include <atomic>

#include "platform/levelzero/hal/flight.h"
#include "platform/levelzero/hal/hal_abi.h"
#include "platform/levelzero/hal/marks.h"
#include "platform/levelzero/hal/watcher.h"

namespace xsched::levelzero {

class HwQueue : base::NoCopies, Watched {
public:
    // Returns nullptr if memory is exhausted, or the system refuses a thread. `gated`: the queue is to have a gate, if
    // the driver is able to.
    static HwQueue* create(const ZeApi& api, const XzeQueue& queue, bool gated);
    ~HwQueue() { end(); }

    void serve(XqQueue* xqueue) { xqueue_.store(xqueue, std::memory_order_release); }
    Mark* next_mark();
    void launched(Mark* mark, XqToken token);
    void refused(Mark* mark);
    // Reports what is complete. Returns at once if another thread is at it.
    void look();
    XResult synchronize();
    void end();

    Mark* make_hold() { return ended_.load() ? nullptr : holds_.take(flight_.passed()); }
    void open(Mark* hold);
    void give_hold(Mark* hold) { holds_.give(hold, flight_.last_number()); }
    bool in_order() const { return queue_.in_order; }
    bool gated() const { return gate_.made(); }
    void set_gate(Gate::Word word) { gate_.set(word); }
    // Puts the gate before the command whose end `end` tells. Returns what the command is to wait for besides; nullptr:
    // nothing.
    Mark* put_gate(Mark* end, bool held);

private:
    HwQueue(const ZeApi& api, const XzeQueue& queue);
    int64_t pause_ns(int64_t seldom_ns);
    bool is_over(const Mark& mark, bool* reported) const;
    void report_all();
    void give_back(Mark* end, bool passed);

    const ZeApi& api_;
    const XzeQueue queue_;
    Gate gate_;
    Marks holds_;
    Marks gates_;
    Marks ends_;
    Flight flight_;
    std::atomic<XqQueue*> xqueue_{nullptr};
    std::atomic<bool> ended_{false};
    std::atomic<bool> looking_{false};
    std::atomic<bool> gate_unused_{false};  // a wait for it may have no command behind it
    std::atomic<uint32_t> opening_{0};  // threads that signal a hold
    // Counts the commands that were launched into the empty queue or have completed. The program's threads only count,
    // since a read of the clock takes 25 ns more (bench/levelzero).
    std::atomic<uint64_t> changes_{0};
    std::atomic<uint64_t> seen_changes_{0};  // when pause_ns was last called
    std::atomic<int64_t> seen_ns_{0};  // when it first found so many
};

const XqDeviceOps* device_ops(const HwQueue& hwq);

}  // namespace xsched::levelzero
