// One client as the dispatcher keeps it: its shared memory, and what was seen in and written to each slot.
// Not thread-safe. Allocates only when a slot is used that never was before.
#pragma once

#include <cstdint>
#include <vector>

#include "dispatch/dispatcher.h"
#include "dispatch/means.h"
#include "dispatch/trials.h"
#include "dispatch/unit_table.h"
#include "ipc/layout.h"
#include "sched/core.h"

namespace xsched::dispatch {

struct QueueMemory {
    bool used = false;
    uint64_t handle = 0;
    uint32_t unit = 0;  // position in the unit table of the last pass
    bool held = false;  // by handle
    bool ready = false;
    bool suspended = false;  // as last written
    bool device_progress = false;
    int64_t idle_seen_ns = 0;  // with device_progress: when the last ready -> idle change was seen
    uint64_t completed = 0;    // as last seen to change, or asked about,
    int64_t asked_ns = 0;      // then
    int64_t progress_ns = 0;   // when it last changed, or the queue became ready
    sched::Verdict verdict{};
    int32_t by_pid = 0;       // of the verdict
    int64_t kept_off_ns = 0;  // with work to do, since it was suspended last
    int32_t kept_off_by = 0;  // the process that this was for, first; 0: nobody
    bool kept_off_by_others = false;
    int64_t suspended_total_ns = 0;
    uint64_t preemptions = 0;
    uint32_t level = 0;
    Means means = Means::kNone;
    ipc::Interrupt interrupt{};  // as written
    uint32_t timeslice_us = 0;
    bool warmed = false;  // for the burst that is about to begin
};

// Since the last pass `by`, a unit of that one, kept a client's work off for so long.
struct Delay {
    uint64_t by;
    int64_t ns;
};

struct RoomFor {
    int32_t pid = 0;  // 0: for nobody
    int64_t until_ns = 0;
};

class Client {
public:
    // While queues may be suspended for somebody more urgent: how much device time is kept in flight.
    static constexpr int64_t kWindowNs = 1'000'000;
    // What it takes to keep a process off, for its agent to wake and for the call: usually, and at most; and from the
    // call's end until it has had its effect.
    static constexpr int64_t kLingerNs = 700'000;
    static constexpr int64_t kMostLingerNs = 3'000'000;
    static constexpr int64_t kEffectNs = 300'000;

    explicit Client(const ClientView& view) : view_(view) {}

    const ClientView& view() const { return view_; }
    const std::vector<QueueMemory>& queues() const { return queues_; }
    // Of the last scan, one per culprit. Queues of a process that stand side by side count once.
    const std::vector<Delay>& delays() const { return delays_; }
    // Its own work kept another client's off.
    void caused_delay(int64_t ns) { delay_caused_ns_ += ns; }
    int64_t delay_caused_ns() const { return delay_caused_ns_; }

    // Reads the used slots and adds them to `units`.
    void scan(UnitTable& units, int64_t now_ns, int64_t last_pass_ns);
    // Writes the verdicts on its units into the slots, and the header.
    void direct(const UnitTable& units, const sched::Plan& plan, const Rivals& rivals, int64_t now_ns);
    // Tells its agent, once, if something was written since the last call.
    void ring();
    // For whom something of this one is on its way off its device, to be kept off, and until when at least.
    RoomFor makes_room(int64_t now_ns);
    // Others are on their way off for this one.
    void linger(int64_t until_ns);

    // When a suspension is to be looked at again because what runs may last; 0: no need.
    int64_t look_again_ns() const { return look_again_ns_; }

    // True: `watching` was raised since the last call, so that a change just before may have gone unreported.
    bool began_watching();
    // When the heartbeat is due; 0: nothing of it is suspended.
    int64_t heartbeat_due_ns() const { return suspended_ ? heartbeat_ns_ + ipc::kHeartbeatNs : 0; }

    bool suspends() const { return suspended_; }
    // A running queue's completion is to be seen by looking: the device that reports it rings nobody.
    bool polled() const { return polled_; }

    bool set_held(uint64_t handle, bool held);
    // Resumes everything and leaves the memory as for a process that is alone.
    void let_go();

private:
    int64_t stuck_since_ns(int64_t now_ns);
    void see(uint32_t at, QueueNumbers& numbers, UnitTable& units, int64_t now_ns, int64_t last_pass_ns);
    void forget(uint32_t at);
    void note_delay(QueueMemory& queue, int64_t ns);
    void ask(uint32_t at);
    void beat(bool suspended, int64_t now_ns);
    void direct_queue(uint32_t at, const UnitTable& units, const sched::Verdict& verdict, int64_t now_ns);
    void log_change(const QueueMemory& queue, const UnitTable& units) const;
    // By which means its units are kept off (client_means.cpp).
    struct Device {  // one that its queues are on
        uint64_t device = 0;
        bool seen = false;       // in this pass
        int64_t stands_ns = 0;   // since when all of its queues there are suspended; 0: not all are
        Means usual = Means::kNone;  // without regard to announcements, and to what is running
        Means means = Means::kNone;
        ipc::Interrupt interrupt{};  // until one of them runs again
        int64_t by_busy_ns = 0;  // what the unit that it makes room for had used of it then
        uint64_t tried_by = 0;   // the unit whose burst is a trial; 0: it is none
        unsigned tried_way = 0;
        Trials trials;  // a short timeslice, and its gate
    };
    void choose_means(const UnitTable& units, const Rivals& rivals, int64_t now_ns);
    struct Stand {  // how its queues on a device are, all together
        Victim victim;
        bool all_suspended = true;
        bool all_able = true;  // to be interrupted
        bool ready = false;
        bool announced = false;
        uint32_t timeslice_us = 0;
        uint64_t by = 0;  // whom they make room for
    };
    Stand stand_on(uint64_t device, const UnitTable& units, const Rivals& rivals) const;
    static void end_trial(Device& device, const UnitTable& units);
    void interrupt_on(Device& device, const Stand& stand, bool short_timeslice, const sched::UnitState* urgent,
                      int64_t now_ns);
    void choose_on(Device& device, const UnitTable& units, const Rivals& rivals, int64_t now_ns);
    Device& device_of(uint64_t device);
    // Stores and remembers to ring, if it differs.
    template <typename T>
    bool put(std::atomic<T>& field, T value);

    ClientView view_;
    std::vector<QueueMemory> queues_;  // of the slots up to the last one ever used
    std::vector<Device> devices_;
    int64_t look_again_ns_ = 0;
    std::vector<Delay> delays_;        // room for one per queue
    int64_t delay_caused_ns_ = 0;
    int64_t heartbeat_ns_ = 0;
    uint32_t driver_calls_ = 0;    // as seen last, and since when
    int64_t driver_calls_ns_ = 0;
    bool suspended_ = false;  // something of it is
    bool polled_ = false;
    bool prompt_ = false;  // a suspension may interrupt what runs
    struct Leaving {       // see makes_room
        int32_t for_pid = 0;
        int64_t since_ns = 0;
        bool rung = false;
        uint32_t directive = 0;  // the number that its agent then has to carry out
    };
    Leaving leaving_;
    bool touched_ = false;
    bool began_watching_ = false;
};

}  // namespace xsched::dispatch
