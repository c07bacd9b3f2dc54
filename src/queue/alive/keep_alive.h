// Keep-alive: while others are being kept off the device for this process, which takes some hundred microseconds, the
// process keeps the device through its own short pauses, by work of ours without effect. Else the hardware, which sees
// it idle then, would switch to the others and back, for two switches between contexts (350 us on an H100,
// docs/decisions/003).
//
// A hold before a burst (device_hold.h) uses the same word and the same numbers, so its part that concerns one queue is
// here as well.
//
// For gated queues (XqKeepAliveOps). Any thread; takes the queue's lock itself, but where a comment says that it is
// held.
#pragma once

#include "base/hot.h"
#include "queue/path/gated_path.h"

namespace xsched::queue {

class KeepAlive {
public:
    KeepAlive(QueueCore& core, GatedPath& path) : core_(core), path_(path) {}

    // Starts a keep-alive on the thread that is about to wait for the queue's work, unless the process's hold keeps the
    // device anyway. Returns whether it did; with kXqWhenComplete the work is complete by then.
    XSCHED_HOT bool start(XqReturn when, bool is_held);
    XSCHED_HOT void end();
    // Notes that work of the program was launched behind the keep-alive, which ends with the second such launch. If it
    // ended with the first, the hardware would have nothing left to fetch once that launch started, and would turn to
    // other programs.
    void followed();
    // Ends the keep-alive soon, since a launch that may wait for earlier work is about to follow.
    void will_be_followed();
    // See xq_only_keep_alive_pending, xq_keeps_device, xq_all_complete and xq_is_idle.
    bool only_ours_pending();
    bool has_use() const;
    bool all_complete();
    bool is_idle();
    // Prepares the keep-alive before the queue's first use, on a thread of the program. Later the driver could block
    // the preparation. Whether it succeeded is seen when a keep-alive is wanted.
    void prepare_early();
    // Returns whether a keep-alive may be in the stream. Needs no lock.
    bool running() const { return running_.load(std::memory_order_relaxed); }

    // Agent thread: returns whether prepare_if_asked or take_warmth has something to do.
    bool asked();
    // Prepares the keep-alive if Header::keep_alive_wanted says so. Called on the errands' thread (agent/errands.h),
    // because the driver may block it.
    void prepare_if_asked();
    // The scheduler's request before a burst.
    struct Warmth {
        bool asked = false;
        bool to_end = false;  // holds the device to the end of the burst under way
        int64_t hold_ns = 0;  // how long to hold the device for the first launch; 0: a little work is enough
        int64_t through_ns = 0;  // how long behind the first launch; 0: not through the burst
    };
    // Agent thread: returns the scheduler's request to keep or warm the device before a burst, and forgets the
    // request.
    Warmth take_warmth();
    // Gives the device a little work, so that it has switched to this context when the burst begins.
    void warm() { ops()->warm(core_.setup.impl); }

    // The queue's part of a hold (DeviceHold).
    // Returns the number of a keep-alive to hold; 0: not now. A hold before a burst uses up its number.
    uint32_t number_to_hold(bool to_end);
    bool put_hold(uint32_t number, int64_t ns, int64_t behind_ns) {
        return ops()->hold(core_.setup.impl, number, ns, behind_ns) == kXSchedSuccess;
    }
    void end_hold_soon() { tell_held(held_number_); }
    void end_hold() { tell_held(held_number_ + 1); }
    // Tells the scheduler that it need not keep other programs off until `until_ns`: the hold does.
    void tell_holds(int64_t until_ns);
    // Tells the scheduler that the hold is over: the burst goes on behind the wait that ended it, or another burst has
    // begun.
    void tell_hold_over(int64_t now_ns);
    bool has_work();
    unsigned long name() const { return static_cast<unsigned long>(core_.handle); }

    // Lock held.
    void begin();
    // Forgets the requests of the scheduler before, after the queue's slot has moved to another scheduler's memory.
    void placed();
    // Returns the word that ended the last keep-alive; 0: there was none.
    uint32_t ended() const { return number_ == 0 ? 0 : number_ + 1; }

private:
    const XqKeepAliveOps* ops() const { return core_.setup.ops != nullptr ? core_.setup.ops->keep_alive : nullptr; }
    uint32_t next_number(int64_t* ns, bool is_held);
    bool nothing_pending();
    uint32_t raise_number();
    void tell_held(uint32_t word);
    bool preparation_asked();

    QueueCore& core_;
    GatedPath& path_;
    uint32_t number_ = 0;  // number of the last keep-alive: even
    std::atomic<bool> running_{false};
    bool followed_ = false;  // once
    uint32_t held_number_ = 0;  // number of the last hold
    uint32_t prepared_for_ = 0;  // the path's binding for which it is prepared, or was refused
    uint32_t warm_seen_ = 0;
};

}  // namespace xsched::queue
