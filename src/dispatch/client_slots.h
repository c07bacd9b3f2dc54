// The slots of one client as the dispatcher keeps them: what is read from them becomes units, and the verdicts on these
// units are written back. Decides nothing. Not thread-safe. Allocates only when a slot or a unit is used that never was
// before.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <utility>
#include <vector>

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
    uint32_t client = 0;  // 0: for nobody
    int64_t until_ns = 0;
    bool settled = false;  // that will not change any more
};

class ClientSlots {
public:
    // While queues may be suspended for somebody more urgent: how much device time is kept in flight.
    static constexpr int64_t kWindowNs = 1'000'000;  // judgement

    ClientSlots(const ClientView& view, UnitTable& units);
    ~ClientSlots() { share_.return_records(static_cast<uint32_t>(recorded_.count())); }
    ClientSlots(const ClientSlots&) = delete;
    ClientSlots& operator=(const ClientSlots&) = delete;

    const ClientView& view() const { return view_; }
    const std::vector<QueueHistory>& queues() const { return queues_; }
    // Counts the delays until now.
    void settle_delays(int64_t now_ns);
    // Its own work kept another client's off.
    void add_caused_delay(int64_t ns);
    DelayAccount& delays() { return delays_; }
    const DelayAccount& delays() const { return delays_; }

    // Reads the used slots and puts its units into the table, as far as the work suffices. False: there are more.
    bool scan(int64_t now_ns, Work& work);
    // Its last scan was not its last part: of some queues the units are not in the table yet.
    bool is_being_read() const { return scanning_; }
    // Once after a scan: it found something of which the directives may say something else now.
    bool takes_directives() { return std::exchange(changed_, false); }
    // How many slots that takes, about.
    uint32_t slots() const {
        return std::min(view_.region->header.slot_end.load(std::memory_order_relaxed), share_.most_slots());
    }
    // Before anything else is written for anybody: the queues of this unit, which will be suspended, start nothing
    // more. direct() follows in the same pass.
    void close_gates(uint32_t own, int64_t now_ns);
    // Decisions since the last call about queues of this client for the sake of others, for their logs.
    struct ForOther {
        uint32_t client;
        ipc::Decision decision;  // `slot` is still open
        uint64_t unit;  // that it is for
    };
    std::vector<ForOther>& for_others() { return for_others_; }
    // For its log, if it wants to know. It rings.
    void take_decision(const ForOther& decided);
    // All its slots must be written (again), unless they were written since the last verdicts.
    void begin_directing() {
        unwritten_ = UINT32_MAX;
        verdicts_are_new_ = true;
    }
    // Writes the header and the verdicts on its units into its slots, at most this many at a time. False: there are
    // more.
    bool direct(int64_t now_ns, uint32_t most = UINT32_MAX);
    uint32_t unwritten() const { return std::min(unwritten_, static_cast<uint32_t>(queues_.size())); }
    // On these devices the server itself takes the process's work off, in one call with others' (Interrupt::kTogether).
    void act_for(std::vector<uint64_t> devices) { acted_for_ = std::move(devices); }
    // Tells its agent, once, if something was written since the last call. True: it did.
    bool ring();
    // For which client something of this one is on its way off its device, to be kept off, and until when at least.
    RoomFor makes_room(int64_t now_ns);
    bool is_leaving() const { return departure_.under_way(); }
    // Others are on their way off for this one, which keeps the device meanwhile.
    void keep_alive(const RoomFor& room, int64_t now_ns);

    // --- waits across processes (client_waits.cpp, shared_waits.h)
    uint64_t user() const { return view_.limits != nullptr ? view_.limits->account : 0; }
    uint64_t process() const { return view_.process != 0 ? view_.process : view_.id; }
    bool shares_events() const;
    // Adds what its queues are about to record and wait for, as of the last scan.
    void shared_uses(std::vector<UseUnderWay>& records, std::vector<UseUnderWay>& waits) const;
    // From the next scan on what has work counts as at least as urgent; INT32_MIN: nobody waits for it. Also where only
    // who waits for whom has changed.
    void lend(int32_t priority);
    // True: that it is in a circle of waits was not told yet.
    bool tells_circle() { return !std::exchange(told_circle_, true); }

    // When it must be read again although it did not ring; 0: no need. `many`: how many there are to look at like this.
    int64_t look_ns(size_t many) const;
    // Whether a pass that comes anyway should read it: what has been still for long is read at look_ns().
    bool is_worth_a_look(int64_t now_ns) const;
    // True: `watching` was raised since the last call, so that a change just before may have gone unreported.
    bool began_watching();
    // Its counters move while somebody is interested in them: to be read at every pass.
    bool is_followed() const { return followed_; }
    bool suspends() const { return suspended_; }
    void beat(int64_t now_ns);
    // Tells of its holds that last.
    void follow_holds(int64_t now_ns);

    bool set_suspended_by_person(uint64_t handle, bool suspended);
    // Resumes everything, leaves the memory as for a process that is alone, and takes its units out of the table.
    void let_go(int64_t now_ns);

    // The dispatcher's: where in its lists this client is.
    struct Listed {
        static constexpr uint32_t kNowhere = UINT32_MAX;
        uint32_t scan = kNowhere;
        uint32_t direct = kNowhere;
        uint32_t followed = kNowhere;
        uint32_t suspended = kNowhere;
        uint32_t look = kNowhere;
        uint32_t leaving = kNowhere;
    };
    Listed listed;

private:
    // The verdicts on all its queues together.
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
    // False also of a queue whose unit is new to the scan under way, or whose device is to be decided about.
    bool has_verdict(const QueueHistory& queue) const {
        return queue.used && queue.scheduled && units_[queue.own].has_verdict();
    }
    void share_as_others(policy::Unit& unit) const;
    bool shares_as_group(policy::Unit& unit) const;
    void share_as_user(policy::Unit& unit) const;
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
    // Stores and remembers to ring, if it differs.
    template <typename T>
    bool put(std::atomic<T>& field, T value);

    ClientView view_;
    ClientUnits units_;
    UserShare share_;
    std::vector<QueueHistory> queues_;  // of the slots up to the last one ever used
    std::bitset<ipc::kMostQueues> recorded_;  // slots of which there is a record
    bool scanning_ = false;
    uint32_t scanned_ = 0;  // slots of the scan under way
    // Of what is written in parts: the next slot, and how many from there on; after the last one comes the first.
    uint32_t next_written_ = 0;
    uint32_t unwritten_ = UINT32_MAX;
    uint32_t unasked_ = 0;  // likewise: their agent is asked about what was launched unwatched
    bool verdicts_are_new_ = true;  // the header must be written, too
    int64_t announced_over_ns_ = 0;
    DelayAccount delays_;
    int64_t heartbeat_ns_ = 0;
    uint32_t driver_calls_ = 0;  // as seen last, and since when
    int64_t driver_calls_ns_ = 0;
    int64_t stuck_since_ns_ = 0;
    uint32_t latest_ = UINT32_MAX;  // see find_latest
    bool suspended_ = false;  // something of it is
    // A running queue's completion is seen only by looking: the device that reports it rings nobody.
    bool polled_ = false;
    bool followed_ = false;
    // Since when something of it is being stopped, or goes on: how long that takes is seen by looking. 0: nothing is.
    int64_t settling_since_ns_ = 0;
    // As of this scan: something is being stopped or goes on; something moved; something could have.
    bool settling_ = false;
    bool moved_ = false;
    bool runs_ = false;
    bool stands_ = false;  // something waits for what its device does not end, and only the device tells when it does
    int64_t seen_ns_ = 0;  // when all of it was read last
    int64_t quiet_ns_ = 0;  // for this long it could run since something of it moved
    bool changed_ = false;  // see takes_directives
    sched::OffTimes off_times_;
    sched::Departure departure_;  // see makes_room
    uint32_t leaves_for_ = 0;  // that client
    // Until when it is to keep the device: for those who are on their way off as of `kept_as_of_ns_`, and for others.
    int64_t kept_as_of_ns_ = 0;
    int64_t kept_until_ns_ = 0;
    int64_t kept_settled_ns_ = 0;
    std::vector<uint64_t> acted_for_;  // see act_for
    bool departure_rung_ = false;
    uint32_t departure_directive_ = 0;  // the number that its agent then has to carry out
    static constexpr size_t kMostForOthers = 16;  // between two calls; the rest is in no log but the server's
    std::vector<ForOther> for_others_;
    int32_t lent_priority_ = INT32_MIN;
    uint32_t waits_changed_ = 0;
    bool told_circle_ = false;
    bool touched_ = false;
    bool began_watching_ = false;
};

}  // namespace xsched::dispatch
