// Keep-alive: while others are being kept off the device for this process, which takes some hundred microseconds, the
// process keeps the device through its own short pauses. Otherwise the hardware, which sees it idle then, would switch
// to the others and back, for two switches between contexts (350 us on an H100, docs/decisions/003).
//
// The same is done before a predicted burst: then nothing of the program's is there yet, and the keep-alive stands in a
// queue of our own, beside the program's. It ends some time behind the process's first launch, whichever queue that is
// in: until then that has launched enough to keep the device by itself, or the scheduler keeps the others off. Or it
// stands through all of the burst, for as long as these last (ipc::QueueSlot::warm_behind_us) or as many waits as they
// have: no other program need be kept off. And to the end of a burst that is about to be over (warm_to_end): then it
// ends with the next wait. Where a wait has ended the last ones, it stands longer than bursts usually last: a slow
// moment of the machine would else cost the device just before the end.
//
// For gated queues (XqKeepAliveOps). Any thread; takes the queue's lock itself, but where a comment says that it is
// held.
#pragma once

#include "base/hot.h"
#include "queue/alive/burst_waits.h"
#include "queue/alive/end_waits.h"
#include "queue/path/gated_path.h"

namespace xsched::queue {

class KeepAlive {
public:
    KeepAlive(QueueCore& core, GatedPath& path) : core_(core), path_(path) {}

    // See xq_keep_alive, xq_end_keep_alive and xq_only_keep_alive_pending.
    XSCHED_HOT bool start(XqReturn when);
    XSCHED_HOT void end();
    // Work of the program has been launched behind the keep-alive. It ends with the second such launch. If it ended
    // with the first, the hardware would have nothing left to fetch once that started, and would turn to others.
    void followed();
    // As xq_follow_keep_alive.
    void will_be_followed();
    bool only_ours_pending();
    // See xq_keeps_device, xq_all_complete and xq_is_idle.
    bool has_use() const;
    bool all_complete();
    bool is_idle();
    // See xq_prepare_early. Work prepared here is found and reported later.
    void prepare_early();
    // Returns whether a keep-alive may be in the stream. Needs no lock.
    bool running() const { return running_.load(std::memory_order_relaxed); }
    // Returns whether a queue of the process holds the device before a burst whose first launch has not come.
    static bool awaits_launch() { return awaiting.load(std::memory_order_relaxed) != nullptr; }
    static void launched();
    // Ends a hold. Call before waiting for the whole context, which includes the hold.
    static void end_held();
    // Ends a hold before a call that frees device memory, and skips the next kBurstsAfterFree holds. A program that
    // frees memory in every burst, or every second one, therefore gets no hold.
    static void frees_memory();
    // Notes the begin of a wait for any of the process's queues.
    XSCHED_HOT static void wait_begins();
    static constexpr uint32_t kBurstsAfterFree = 2;

    // Returns whether a hold lasts through the burst under way.
    static bool holds_through();

    // Agent thread: returns whether one of the two following functions has something to do.
    bool asked();
    // Prepares the keep-alive if Header::keep_alive_wanted says so. Called on the errands' thread (agent/errands.h),
    // because the driver may block it.
    void prepare_if_asked();
    // If a burst is about to begin, gives the device a little work so that it has switched to this context by then.
    void warm_if_asked();

    // Lock held.
    void begin();
    // The queue's slot moved to another scheduler's memory: forgets the requests of the scheduler before.
    void placed();
    // Returns the word that ended the last keep-alive; 0: there was none.
    uint32_t ended() const { return number_ == 0 ? 0 : number_ + 1; }

private:
    const XqKeepAliveOps* ops() const { return core_.setup.ops != nullptr ? core_.setup.ops->keep_alive : nullptr; }
    uint32_t next_number(int64_t* ns);
    bool nothing_pending();
    uint32_t raise_number();
    uint32_t number_to_hold(bool to_end);
    bool put_held(uint32_t number, int64_t ns, int64_t behind_ns);
    void tell_holds(int64_t until_ns);
    void tell_over(int64_t now_ns);
    void hold(int64_t ns, int64_t through);
    void hold_to_end(int64_t ns);
    static KeepAlive* let_go();
    void tell_held(uint32_t word);
    bool preparation_asked();

    // The queue that holds the device before a burst, and the one whose first launch is awaited. Objects of queues are
    // never freed (pool.h).
    static std::atomic<KeepAlive*> holder;
    static std::atomic<KeepAlive*> awaiting;
    static std::atomic<int64_t> held_until_ns;  // when the hold ends at the latest
    static std::atomic<uint32_t> not_held;  // number of bursts to come that get no hold
    static std::atomic<bool> ends_with_wait;  // what is held
    // For a hold through a whole burst: how long it lasts behind the first launch, if that comes in time.
    static std::atomic<int64_t> through_ns;
    static std::atomic<int64_t> waits_until_ns;
    static std::atomic<bool> let_go_early;  // the hold ended with the burst's last wait: the awaited launch would be
                                            // one behind that
    static BurstWaits burst_waits;  // of those
    static EndWaits end_waits;  // of holds to the end of bursts

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
