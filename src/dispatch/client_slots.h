// One client's slots (its queues' records in shared memory) as the dispatcher keeps them. It reads queues from them,
// groups them into units, and writes the core's verdicts back as directives: whether a queue may run, and how it is
// stopped. It decides nothing. Not thread-safe. Allocates only for a slot or unit that was never used before.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/no_copies.h"
#include "base/nowhere.h"
#include "base/time.h"
#include "dispatch/client_units.h"
#include "dispatch/client_view.h"
#include "dispatch/delay_account.h"
#include "dispatch/queue_history.h"
#include "dispatch/slot_reader.h"
#include "dispatch/unit_table.h"
#include "dispatch/user_share.h"
#include "ipc/layout.h"
#include "sched/facts/off_times.h"
#include "sched/pattern/departure.h"

namespace xsched::dispatch {

struct UseUnderWay;

struct RoomFor {
    uint32_t client = 0;  // 0: for no client
    int64_t until_ns = 0;
    bool settled = false;  // the entry will not change any more
};

// Work on so many queues takes about as long as an otherwise empty pass. Clients with more queues are written last, and
// read after other clients that rang. The gates of users with more units close last. No more slots of one user are
// written in one pass, and no more suspended clients get a heartbeat: the next pass begins at once, with those clients
// that rang meanwhile.
inline constexpr uint32_t kFewQueues = 64;  // decision 028

class ClientSlots : base::NoCopies {
public:
    // Device time kept in flight while a more urgent program may suspend the queue.
    static constexpr int64_t kWindowNs = 1'000'000;  // judgement

    ClientSlots(const ClientView& view, UnitTable& units);
    ~ClientSlots() { share_.return_records(static_cast<uint32_t>(recorded_.count())); }

    const ClientView& view() const { return view_; }
    const std::vector<QueueHistory>& queues() const { return queues_; }
    // Counts the delays of the client's queues until now.
    void settle_delays(int64_t now_ns);
    // Adds time for which the client's work kept another client's work off the device.
    void add_caused_delay(int64_t ns);
    DelayAccount& delays() { return delays_; }
    const DelayAccount& delays() const { return delays_; }

    // Reads the used slots and puts the units into the table, as far as `work` lasts. Returns false if some are left.
    bool scan(int64_t now_ns, Work& work);
    // Returns whether the last scan read only a part of the client's slots, so that some of its units are not in the
    // table yet.
    bool is_being_read() const { return scanning_; }
    // Returns, once per scan, whether the scan found a change after which directives may have to be written.
    bool takes_directives() { return std::exchange(changed_, false); }
    // Returns about how many slots a scan reads.
    uint32_t slots() const {
        return std::min(view_.region->header.slot_end.load(std::memory_order_relaxed), share_.most_slots());
    }
    // Closes the gates of a unit that will be suspended, before anything else is written. direct() follows in the same
    // pass.
    void close_gates(uint32_t own, int64_t now_ns);
    // A decision that suspends or resumes this client's queues for the sake of another client. The other client may log
    // it.
    struct ForOther {
        uint32_t client;
        ipc::Decision decision;  // its `slot` is not filled in yet
        uint64_t unit;  // the unit for which it was made
    };
    std::vector<ForOther>& for_others() { return for_others_; }
    // Adds a decision to the client's shared memory and rings its doorbell, if the client wants to log decisions.
    void take_decision(const ForOther& decided);
    // Begins to write the directives of all slots of the client, except of those written since the last verdicts.
    void begin_directing() {
        unwritten_ = UINT32_MAX;
        verdicts_are_new_ = true;
    }
    // Writes the header and the verdicts into at most this many slots. Returns false if some are left.
    bool direct(int64_t now_ns, uint32_t most = UINT32_MAX);
    uint32_t unwritten() const { return std::min(unwritten_, static_cast<uint32_t>(queues_.size())); }
    // Returns whether the client has memory that could be moved, asks for some, or shares a limit of memory
    // (memory_desk.h).
    bool uses_memory() const {
        const ipc::Header& header = view_.region->header;
        return header.memory_used.load(std::memory_order_acquire) != 0 || has_joint_memory() ||
               header.memory_joint_limit.load(std::memory_order_relaxed) != 0;
    }
    // Returns whether the client's user or control group has a limit or guarantee of memory.
    bool has_joint_memory() const {
        const UserLimits* user = view_.limits.get();
        const GroupShare* group = view_.group.get();
        return joint_memory_limit() != 0 || (user != nullptr && user->memory_guarantee != 0) ||
               (group != nullptr && group->memory_guarantee != 0);
    }
    uint64_t joint_memory_limit() const { return dispatch::joint_memory_limit(view_.limits.get(), view_.group.get()); }
    // Returns the priority with which the client asks for memory: that of its most urgent queue.
    int32_t memory_priority() const;
    // Returns the gang of the client's queues; 0: none.
    int64_t memory_gang() const;
    // Names the devices on which the server itself takes the process's work off, in one call with others
    // (Interrupt::kTogether).
    void act_for(std::vector<uint64_t> devices) { acted_for_ = std::move(devices); }
    // Rings the client's agent if something was written since the last call. Returns whether it did.
    bool ring();
    // Returns the client for which one of its units is on its way off the device, and until when that client should
    // keep the device at least.
    RoomFor makes_room(int64_t now_ns);
    bool is_leaving() const { return departure_.under_way(); }
    // Tells the client to keep the device while others are on their way off for it.
    void keep_alive(const RoomFor& room, int64_t now_ns);

    // --- waits across processes (client_waits.cpp, shared_waits.h)
    uint64_t user() const { return view_.limits != nullptr ? view_.limits->account : 0; }
    uint64_t process() const { return view_.process != 0 ? view_.process : view_.id; }
    bool shares_events() const;
    // Adds the shared events that the client's queues are about to record and to wait for, as of the last scan.
    void shared_uses(std::vector<UseUnderWay>& records, std::vector<UseUnderWay>& waits) const;
    // Lends the client a priority: from the next scan on, its queues with work count as at least that urgent.
    // INT32_MIN: lends none. Call also when only the set of waiting processes has changed.
    void lend(int32_t priority);
    // Returns whether the client's circle of waits is still to be logged; false from the second call on.
    bool tells_circle() { return !std::exchange(told_circle_, true); }

    // Returns when a pass must read the client again even if it does not ring (CLOCK_MONOTONIC ns); 0: no need. `many`:
    // how many clients need such reads; the more there are, the more seldom each is read.
    int64_t look_ns(size_t many) const;
    // Returns whether each pass should read the client. A client that has not changed for long is read at look_ns()
    // only.
    bool is_worth_a_look(int64_t now_ns) const;
    // Returns whether this server has set Header::watching since the last call. If so, read the client again: before
    // that its changes did not ring.
    bool began_watching();
    // Returns whether every pass reads the client, because a change of its counters matters at once.
    bool is_followed() const { return followed_; }
    bool suspends() const { return suspended_; }
    void beat(int64_t now_ns);
    // Writes holds of the client's queues that still go on to the hold log.
    void follow_holds(int64_t now_ns);

    bool set_suspended_by_person(uint64_t handle, bool suspended);
    // Keeps the client's memory on the host from now on, as far as it can be moved (xcli suspend --memory).
    void keep_memory_away(bool away) { memory_away_ = away; }
    bool memory_is_kept_away() const { return memory_away_; }
    // Resumes all queues of the client, resets its memory to that of an unscheduled process, and removes its units from
    // the table.
    void let_go(int64_t now_ns);

    // The client's positions in the dispatcher's lists. Only the dispatcher uses this member.
    struct Listed {
        uint32_t scan = base::kNowhere;
        uint32_t direct = base::kNowhere;
        uint32_t followed = base::kNowhere;
        uint32_t suspended = base::kNowhere;
        uint32_t look = base::kNowhere;
        uint32_t leaving = base::kNowhere;
        uint32_t memory = base::kNowhere;
    };
    Listed listed;

private:
    // The parts of the verdicts that concern all of the client's queues together.
    struct Summary {
        bool watching = false;
        bool suspended = false;
        bool expects_interrupt = false;
        bool has_victims = false;
        uint32_t keep_alive_us = 0;
        int64_t copy_burst_ns = 0;
        bool suspect = false;
        bool unbelieved = false;
        bool together = false;
        uint32_t unscheduled = 0;
    };

    int64_t stuck_since_ns(int64_t now_ns);
    bool within_limits(uint32_t at, const QueueNumbers& numbers, int64_t now_ns);
    bool has_record(uint32_t at);
    void take_priority(QueueHistory& queue, QueueNumbers& numbers);
    void take_lent(QueueNumbers& numbers) const;
    void see(uint32_t at, QueueNumbers& numbers, int64_t now_ns, Work& work);
    void become(QueueHistory& queue, const QueueNumbers& numbers);
    void listen(QueueHistory& queue, const QueueNumbers& numbers, int64_t now_ns);
    void see_progress(uint32_t at, QueueNumbers& numbers, int64_t now_ns);
    void see_stand(uint32_t at, QueueNumbers& numbers, int64_t now_ns);
    int64_t quiet_pause_ns() const;
    void forget(uint32_t at, int64_t now_ns);
    // client_journal.cpp
    void write_journal(uint32_t at, JournalKind kind, int64_t at_ns, int64_t now_ns);
    void journal_work(uint32_t at, const QueueNumbers& numbers, int64_t now_ns);
    void journal_verdict(uint32_t at, bool was_suspended, int64_t now_ns);
    void journal_interrupt(uint32_t at, int64_t now_ns);
    void begin_record(uint32_t at, const QueueNumbers& numbers, int64_t now_ns);
    void measure(uint32_t at, const QueueNumbers& numbers, int64_t now_ns);
    void join_burst(uint32_t at, const QueueNumbers& numbers, int64_t began_ns, int64_t ended_ns);
    void begin_to_follow(uint32_t at, int64_t now_ns);
    void follow_hold(uint32_t at, int64_t now_ns);
    void count_time(uint32_t at, QueueNumbers& numbers, int64_t now_ns);
    void begin_stop(uint32_t at, int64_t now_ns);
    void end_stop(uint32_t at, int64_t ns);
    void learn_costs(uint32_t at, int64_t off_ns);
    void settle_costs(uint32_t at);
    void follow_stop(uint32_t at, const QueueNumbers& numbers, int64_t now_ns);
    void close_record(uint32_t at);
    void leave_limits(QueueHistory& queue);
    bool publish_units(Work& work);
    void end_scan(int64_t now_ns);
    bool is_directed_otherwise(uint32_t at) const;
    // Returns whether the queue's unit has a verdict: false if the unit is new in the scan under way, or its device is
    // still to be decided.
    bool has_verdict(const QueueHistory& queue) const {
        return queue.used && queue.scheduled && units_[queue.own].has_verdict();
    }
    void share_as_others(policy::Unit& unit) const;
    void ask(uint32_t at);
    Summary take_verdicts();
    void direct_header(int64_t now_ns);
    void begin_suspension(int64_t now_ns);
    void write_header(const Summary& summary);
    void direct_queue(uint32_t at, int64_t now_ns);
    void find_latest();
    ipc::Interrupt interrupt_of(const OwnUnit& own) const;
    void note_suspension(uint32_t at, int64_t now_ns);
    void write_record(uint32_t at, int64_t now_ns);
    void log_change(const QueueHistory& queue) const;
    void log_note(QueueHistory& queue) const;
    void tell_decision(uint32_t at);
    // Stores the value in the client's slot if it differs, and remembers that the client's agent must be woken.
    template <typename T>
    bool put(std::atomic<T>& field, T value);

    ClientView view_;
    ClientUnits units_;
    UserShare share_;
    std::vector<QueueHistory> queues_;  // one per slot, up to the highest ever used
    std::bitset<ipc::kMostQueues> recorded_;  // slots with a record
    bool scanning_ = false;
    uint32_t scanned_ = 0;  // slots read so far in the scan under way
    // The next slot to write, and how many are left from there on; after the last slot comes the first.
    uint32_t next_written_ = 0;
    uint32_t unwritten_ = UINT32_MAX;
    uint32_t unasked_ = 0;  // the same for asking the agent about what was launched unwatched
    bool verdicts_are_new_ = true;  // the header must be written as well
    int64_t announced_over_ns_ = 0;
    DelayAccount delays_;
    int64_t heartbeat_ns_ = 0;
    uint32_t driver_calls_ = 0;  // value seen last, and since when
    int64_t driver_calls_ns_ = 0;
    int64_t stuck_since_ns_ = 0;
    uint32_t latest_ = UINT32_MAX;  // see find_latest
    bool suspended_ = false;  // one of its queues is suspended
    // The completion of a running queue is seen only by looking: a device that reports it does not ring.
    bool polled_ = false;
    bool followed_ = false;
    // Since when a queue has been stopping or resuming, which is measured by looking. 0: none is.
    int64_t settling_since_ns_ = 0;
    // Results of the last scan. `settling_`: a queue was stopping or resuming. `moved_`: a queue's count of completed
    // commands has changed. `runs_`: a queue has work that may run, so such a count may change.
    bool settling_ = false;
    bool moved_ = false;
    bool runs_ = false;
    bool stands_ = false;  // a queue stands, and only the device will tell when its wait is over
    int64_t seen_ns_ = 0;  // when it was last read completely
    int64_t quiet_ns_ = 0;  // for how long it could run since a count moved
    bool changed_ = false;  // see takes_directives
    bool told_unscheduled_ = false;  // in the log, once: a program may come and go with a queue as often as it likes
    sched::OffTimes off_times_;
    sched::Departure departure_;  // see makes_room
    uint32_t leaves_for_ = 0;  // that client
    // Until when the client should keep the device, for victims on their way off as of `kept_as_of_ns_`, and for
    // others.
    int64_t kept_as_of_ns_ = 0;
    int64_t kept_until_ns_ = 0;
    int64_t kept_settled_ns_ = 0;
    std::vector<uint64_t> acted_for_;  // see act_for
    bool departure_rung_ = false;
    uint32_t departure_directive_ = 0;  // directive number that its agent must have carried out before they are off
    static constexpr size_t kMostForOthers = 16;  // most decisions between two calls; the server's log alone has the
                                                  // rest
    std::vector<ForOther> for_others_;
    int32_t lent_priority_ = INT32_MIN;
    uint32_t waits_changed_ = 0;
    bool told_circle_ = false;
    bool memory_away_ = false;  // a person has suspended it with its memory
    bool touched_ = false;
    bool began_watching_ = false;
};

}  // namespace xsched::dispatch
