// Preempt levels 2 and 3 in hardware (XqStopOps): what the scheduler's directive for a queue asks of the backend beyond
// gates and holds, which only keep new commands from starting. It also keeps anything from being off the device for
// longer than there is a reason.
//
// A lock of its own, taken before the queue's, serialises changes of the hardware's state; never on the launch path.
// Members that other parts read are guarded by the queue's lock as well.
#pragma once

#include "queue/path/gated_path.h"

namespace xsched::queue {

class HardwareStop {
public:
    HardwareStop(QueueCore& core, GatedPath& gated) : core_(core), gated_(gated) {}

    enum class Applied { kGone, kOpen, kStopped };
    // Agent thread, and the program's own suspend and resume: brings the hardware in line with the queue's suspensions.
    // kGone: the queue is not in use.
    Applied apply();
    // Waits until no call of the functions of this class is under way. No such call follows for a retired queue on a
    // gated device.
    void settle() { base::Lock transition(transition_); }
    // Agent thread. Puts work that may run back on the device again, some time after the first call: the hardware may
    // have missed that call. If the work was only kept off (kXqKeepOff), this is always done once. After that, and for
    // other work, it is done while no command completes. Returns when the next call is due; 0: none is.
    int64_t put_back_again(int64_t now_ns);
    // Agent thread, before any queue's `apply`: checks whether a queue that level 3 took off made progress since. Once
    // one queue of the process may run, all of them do, so the check must come before.
    void look_before();
    // Agent thread, after all queues' `apply`: notes whether a queue that level 3 took off is only slowed, and how far
    // it is by now.
    void look_after();
    // Agent thread, now and then: puts back work that is off the device for too long without a reason. Returns whether
    // it did.
    bool put_back_if_forgotten(int64_t now_ns);
    // Asks the backend whether level 3 pauses, and publishes the level that acts. Any thread, also within a call of the
    // backend: takes the queue's lock alone.
    void publish_level();

    // --- queue's lock held
    void begin();
    // Forgets the progress seen so far. Call when the slot moved: what the device wrote in the old one says nothing any
    // more.
    void moved() { forget_progress(); }
    bool interrupted() const { return stopped_level_ == kPreemptLevelInterrupt; }
    ipc::Taken taken() const {
        if (!interrupted()) return taking_ ? ipc::Taken::kTaking : ipc::Taken::kNothing;
        return slowed_ ? ipc::Taken::kSlowed : ipc::Taken::kOff;
    }

private:
    struct Stop {
        uint32_t level = 0;  // 0: it runs
        XqInterrupt how = kXqTakeOff;
        bool at_gates_alone = false;  // what level 3 has taken is put back, and stops at its gates
        bool let_back = false;  // that is so just now: it had nothing of the device before
    };

    bool gated() const { return core_.setup.ops->gate != nullptr; }
    // Returns whether commands are kept back without level 3. Then the scheduler says whether running work is to be
    // taken off as well.
    bool keeps_back() const { return gated() || core_.setup.ops->hold != nullptr; }
    bool gone() const { return !core_.in_use || (core_.retired && gated()); }
    const XqStopOps& ops() const;
    Stop wanted();
    void change_to(const Stop& to);
    void arm_again(bool anyhow);
    bool stands();
    void start();
    void stop(const Stop& to);
    XResult call(const Stop& to) const;
    XqStopState state() const;
    void note_call(const Stop& to);
    void note_stopped(const Stop& to, XResult result, bool slowed);
    void note_taken();
    void note_progress(const XqStopState& state);
    void forget_progress();
    bool outside_changed() const;
    void settle_hold();
    uint32_t level_below() const;
    void lower_level();
    void look_if_it_went_on();
    void note_effect();
    void apply_timeslice(uint32_t us);
    bool forgotten(int64_t now_ns, int64_t limit_ns);
    int64_t opened_ns(uint32_t level) const;
    int64_t closed_ns() const;

    QueueCore& core_;
    GatedPath& gated_;
    base::Mutex transition_;
    uint32_t stopped_level_ = 0;  // 0: it runs; written under both locks
    XqInterrupt how_ = kXqTakeOff;  // at level 3
    bool taking_ = false;  // its call is under way
    bool slowed_ = false;  // at level 3: it goes on, on few compute units
    bool held_open_ = false;  // and level 2's own hold, which level 3 closed, is open for that
    uint32_t timeslice_us_ = 0;  // as last asked of the backend
    int64_t stopped_ns_ = 0;  // since when it is stopped
    int64_t again_ns_ = 0;  // when it is put back once more; 0: not
    int64_t again_after_ns_ = 0;  // so long after the last time
    bool again_anyhow_ = false;  // whether or not it gets on
    uint64_t again_completed_ = 0;  // how far it was then
    bool outside_ = false;  // xserver has it off the device, or had until it was let go
    bool effect_due_ = false;  // it is not checked yet how far the device is in the present stop
    uint32_t watched_ = 0;  // the stop (XqStopState) for which progress_then_ was recorded; 0: none
    uint32_t progress_then_ = 0;  // the device's progress when that stop began
    uint32_t outside_then_ = 0;  // Header::outside_changes when that stop began
    bool looked_ = false;  // progress_now_ was read later, while that stop was still in force
    uint32_t progress_now_ = 0;  // the device's progress at the later moment
    uint32_t no_effects_ = 0;  // interrupts in a row after which the device went further
    int64_t given_up_ns_ = 0;  // the directive (its time) that lasted too long without a reason
};

}  // namespace xsched::queue
