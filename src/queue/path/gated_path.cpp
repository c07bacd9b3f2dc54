// GatedPath, admission: what goes before and behind a command, and which callers wait.
#include "queue/path/gated_path.h"

#include <sched.h>

#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/spin.h"
#include "base/time.h"
#include "queue/path/directive_sleep.h"

namespace xsched::queue {
namespace {

constexpr int64_t kLookNs = 20 * base::kMicrosecond;  // between looks for room (judgement)
constexpr int64_t kPauseNs = base::kMillisecond;  // how often to look for a resume that wakes no thread (judgement)

void pause_a_little() {
    static constinit std::atomic<int> known{-1};
    int to_spare = known.load(std::memory_order_relaxed);
    if (to_spare < 0) known.store(to_spare = base::processors_to_spare() ? 1 : 0, std::memory_order_relaxed);
    if (to_spare == 0) return static_cast<void>(sched_yield());
    for (int i = 0; i < 16; ++i) base::pause_processor();
}

}  // namespace

// Returns whether the queue's progress matters to some other process, or may be stopped; otherwise two counters
// suffice. Lock held.
bool GatedPath::followed() const {
    return core_.suspension.managed || core_.retired || core_.window.threshold() != 0 || !core_.open() ||
           core_.published.window_ns() > 0 || core_.published.watched() || splitter_ != nullptr || stands_.open() != 0;
}

// Begins work that no other process follows: its progress becomes known when the program waits. Until then only its
// begin is noted, so the clock is read once per burst. Lock held.
void GatedPath::begin_unfollowed() {
    observed_ = false;
    if (core_.submitted == core_.completed) core_.meter.flight_began(base::now_ns());
}

// Counts a command as submitted and launched, and fills in its ticket. Lock held.
void GatedPath::count(XqTicket& ticket, CommandKind kind) {
    const uint64_t enqueued = reports_.enqueued(core_.submitted);  // before this command's call is under way
    ticket.mark = enqueued == core_.submitted ? core_.submitted + 1 : enqueued;
    core_.published.submitted(++core_.submitted);
    core_.published.launched(++core_.launched);
    const bool marker = takes_no_time(kind);
    share_.note(kind);
    if (!marker) spacing_.work_launched();
    ticket.covers = marker ? 0 : 1;
    ticket.verdict = kXqLaunch;
}

void GatedPath::admit(XqTicket& ticket, CommandKind kind) {
    ticket = XqTicket{};
    core_.mutex.lock();
    if (followed()) [[unlikely]] {
        core_.mutex.unlock();
        return admit_followed(ticket, kind);
    }
    begin_unfollowed();
    count(ticket, kind);
    core_.mutex.unlock();
}

// Notes that the driver's call has returned. A failed call counts too, as the progress of a later command covers it.
void GatedPath::launched(XqTicket& ticket, uint32_t outcome) {
    reports_.call_returned();
    if (ticket.began_ns != 0) note_launch(ticket, outcome);
    if (looks_ && ticket.followed != 0) note_place();
    if (ticket.stand != 0 && wait_returned(ticket, outcome)) return;
    if (ticket.group == nullptr && !reports_.owed()) return;
    if ((outcome & kXqReportLater) != 0)
        reports_.owe();
    else
        write_progress();
}

// Returns the device time from one gate to the next. Lock held.
int64_t GatedPath::gate_every_ns() const {
    const bool preempted =
        ipc::is_short_timeslice(core_.published.slot().device_timeslice_us.load(std::memory_order_relaxed));
    const int64_t usual_ns = preempted ? GateSpacing::kEveryPreemptedNs : GateSpacing::kEveryNs;
    return spacing_.every_ns(std::max(usual_ns, core_.published.gates_apart_ns()));
}

int64_t GatedPath::run_on_ns() const {
    const int64_t command_ns = core_.meter.command_ns();
    const int64_t in_flight_ns = static_cast<int64_t>(core_.submitted - core_.completed) * share_.mean(command_ns);
    return gates_ ? std::min(in_flight_ns, std::max(command_ns, gate_every_ns()) / 2) : in_flight_ns;
}

// Returns whether the next command needs no gate: the queue is idle, and gates cost this program much. A gate before
// the first command of an idle queue is passed as soon as the device turns to the context, so it rarely stops anything.
// Lock held.
bool GatedPath::starts_at_once() const {
    if (core_.submitted != core_.completed) return false;
    const uint32_t queues = core_.published.header().slot_end.load(std::memory_order_relaxed);
    return spacing_.is_dear(core_.meter.command_ns(), queues);
}

// Returns whether a gate goes before the next command. Lock held.
bool GatedPath::gate_due(bool closed) {
    if (closed) {
        const int64_t since = std::max(core_.suspension.since_ns, core_.published.directed_ns());
        if (spacing_.first_of_suspension(since)) return true;
        if (core_.setup.level < kPreemptLevelDeactivate)
            return false;  // one gate of this suspension is enough at
                           // level 1
    }
    if (!closed && starts_at_once()) return false;
    // Gates are also put among commands behind a closed gate: once that gate opens, the next one must be able to stop
    // them.
    return (closed || core_.suspension.managed || core_.published.window_ns() > 0) &&
           spacing_.due(gate_every_ns(), core_.meter.command_ns());
}

// Returns whether the queue may be suspended: for a more urgent program, or by its own. Lock held.
bool GatedPath::makes_room() const {
    return !core_.retired &&
           (core_.suspension.managed || core_.published.window_ns() > 0 || core_.published.suspended());
}

// Returns whether the queue gets no gates and a short window. Not while the program itself suspends it, because it
// expects its launches to return. Lock held.
bool GatedPath::kept_short() const {
    return short_ && !core_.suspension.managed && (core_.published.window_ns() > 0 || core_.published.suspended());
}

// Decides whether the next command has to wait here, gets a gate before it, or a report behind it. Lock held.
GatedPath::Plan GatedPath::decide(bool retry, CommandKind kind, const XqPiece* piece) {
    Plan plan;
    if (!followed()) {  // any more
        begin_unfollowed();
        return plan;
    }
    const bool closed = !core_.open();
    const int64_t window_ns = core_.published.window_ns();
    const int64_t mean_ns = share_.mean(core_.meter.command_ns());
    const bool shortened = kept_short();
    uint32_t most = UINT32_MAX;
    if (core_.window.threshold() != 0)
        most = core_.window.threshold();
    else if (closed || core_.suspension.managed || window_ns > 0)
        most = deactivates() && !shortened ? gated_cap()
               : shortened && mean_ns <= 0
                   ? 1  // unknown length: the urgent program waits for it, however long it is
                   : core_.window.limit(shortened ? std::max<int64_t>(window_ns, 1) : window_ns, mean_ns);
    const bool stays = caller_stays(kind, piece) && makes_room();
    // A piece of a copy and its gate each take a place in the driver's queue. A caller that stays inside the driver
    // must have few commands before its own.
    if (piece != nullptr || stays) most = std::min(most, most_before(piece));
    plan.report = core_.submitted + 1 - reports_.asked() >= report_stride(most, mean_ns);
    // If every command so far was made to report, look whether the queue has become idle. Then this command makes it
    // ready, which wakes the scheduler.
    const bool all_asked = reports_.asked() == core_.submitted;
    if (plan.report || retry || all_asked || core_.submitted - core_.completed >= most) absorb_progress();
    // At level 1, commands of a closed (suspended) queue are launched behind one gate, as far as the launch window
    // has room, instead of being held back.
    const bool behind_gate = gates_ && closed && !shortened;
    plan.wait =
        (closed && (!behind_gate || stays) && bound_) || core_.submitted - core_.completed >= most || in_others_split();
    if (plan.wait || stays) return plan;
    plan.gate = !takes_no_time(kind) && (deactivates() || behind_gate) && !shortened &&
                (gate_due(closed) || ((kind == CommandKind::kPiece || gate_behind_wait_) && gate_before_piece(closed)));
    return plan;
}

// Counts a command of a queue whose progress is followed, as decide() planned it, and rings if the queue was idle. Lock
// held.
void GatedPath::count_followed(const Plan& plan, XqTicket& ticket, CommandKind kind, const XqPiece* piece) {
    const uint64_t before = core_.submitted;
    const bool known_idle = observed_ && before == core_.completed;
    const bool stands = stand_begins(kind);
    count(ticket, kind);
    if (stands) ticket.stand = core_.submitted;
    if (!takes_no_time(kind)) gate_behind_wait_ = false;
    if (piece != nullptr) copies_.launched(core_.submitted, *piece);
    const bool idle = known_idle || core_.published.presumed_idle(before);
    if (stands) {  // the scheduler will notice by itself when the wait is over
        if (idle && core_.published.watched()) ipc::ring_doorbell(core_.published.header());
    } else if (idle || (!observed_ && (plan.report || plan.gate))) {
        const int64_t now = base::now_ns();
        core_.meter.flight_began(now);
        core_.published.ring_ready(core_.submitted != core_.completed, now);
    }
    if (plan.gate) {
        spacing_.gate_launched();
        gated_until_ = core_.submitted;
    }
    if (plan.report) reports_.ask(core_.submitted);
    ticket.group = plan.report ? this : nullptr;
    ticket.followed = 1;
}

// Returns whether the driver would record the command into a graph. Such a command never runs, so it must not count as
// work: the queue would stay ready, and behind a closed gate its caller would wait for room. Called for queues that are
// followed only, so that other queues cost no such question. No lock held.
bool GatedPath::captured() const {
    const auto asks = core_.setup.ops->gate->captured;
    return asks != nullptr && asks(core_.setup.impl);
}

void GatedPath::admit_followed(XqTicket& ticket, CommandKind kind, const XqPiece* piece) {
    if (captured()) {
        ticket.verdict = kXqOutside;
        return;
    }
    RoomWait wait;
    Plan plan;
    bool reported = false;
    for (;;) {
        core_.mutex.lock();
        if (followed() && must_bind() && !core_.retired) {
            core_.mutex.unlock();
            bind_words();
            continue;
        }
        if (stands_.lacks_report()) {
            core_.mutex.unlock();
            report_behind_wait();
            continue;
        }
        if (kind == CommandKind::kWait && !std::exchange(reported, true) && must_report_before_wait()) {
            core_.mutex.unlock();
            write_progress();
            continue;
        }
        const bool closed = !core_.open();
        if (!core_.retired) plan = decide(wait.began(), kind, piece);
        if (core_.retired || !plan.wait || goes_ahead(wait, closed)) break;
        if (!wait.began()) announce_waiting(wait);
        core_.mutex.unlock();
        wait_for_room(wait, closed);
    }
    if (wait.began() && waiting_ > 0) core_.published.waiting(--waiting_);
    count_followed(plan, ticket, kind, piece);
    const bool measured = kind == CommandKind::kWork && spacing_.measures_launches();
    core_.mutex.unlock();
    if (plan.gate) core_.setup.ops->gate->wait(core_.setup.impl);
    if (measured) ticket.began_ns = base::now_ns();
}

// Notes how long the driver's call of a command took, for the first few commands. No lock held.
void GatedPath::note_launch(const XqTicket& ticket, uint32_t outcome) {
    const int64_t took_ns = base::now_ns() - ticket.began_ns;
    base::Lock lock(core_.mutex);
    if (outcome == kXqFailed || !core_.in_use || !spacing_.measures_launches()) return;
    spacing_.launch_took(took_ns);
    if (spacing_.launch_ns() != 0)
        XLOG_DEBG("queue 0x%lx: a launch takes its thread %lld ns", static_cast<unsigned long>(core_.handle),
                  static_cast<long long>(spacing_.launch_ns()));
}

// Publishes a waiting caller: the queue then counts as having work, even with nothing in flight. Lock held.
void GatedPath::announce_waiting(RoomWait& wait) {
    const int64_t now = base::now_ns();
    wait.begin(now, core_.completed);
    core_.published.waiting(++waiting_);
    if (core_.submitted == core_.completed) core_.published.ready_since(now);
    ipc::ring_doorbell(core_.published.header());
}

// Returns whether a caller launches although the queue is closed or full. Otherwise the program may hang: commands in
// flight may need something that the caller's thread does next, such as storing a value or launching on another stream.
// Lock held.
bool GatedPath::goes_ahead(RoomWait& wait, bool closed) {
    if (!wait.began()) return !closed && !in_others_split() && core_.completed == stuck_at_;
    RoomWait::Queue queue = in_others_split() ? RoomWait::Queue::kInCopy : RoomWait::Queue::kOpen;
    if (closed) queue = RoomWait::Queue::kSuspended;
    if (core_.suspension.active) queue = RoomWait::Queue::kSuspendedByProgram;
    const RoomWait::Patience patience = wait.look(base::now_ns(), core_.completed, queue, core_.meter.command_ns());
    if (patience == RoomWait::Patience::kLeft) return false;
    if (patience == RoomWait::Patience::kDeviceStuck) {
        stuck_at_ = core_.completed;  // later callers do not wait again before a command completes
        if (queue == RoomWait::Queue::kInCopy) splitter_ = nullptr;
        return true;
    }
    XLOG_WARN(
        "queue 0x%lx: a thread waited 10 s to launch on a queue that this program itself suspended; its "
        "command goes ahead (resume from another thread, or keep fewer commands behind the suspension)",
        static_cast<unsigned long>(core_.handle));
    return true;
}

// Waits until a command may be launched. A small window of short commands would run empty while the caller sleeps: with
// the usual timer slack 20 us become 70 and more. So while commands complete the caller polls, and yields if processors
// are few.
void GatedPath::wait_for_room(const RoomWait& wait, bool closed) {
    report_all();  // commands in flight must report, or nothing would make room
    if (!closed) return wait.completes_now() ? pause_a_little() : base::sleep_ns(kLookNs);
    ipc::Header* header = nullptr;
    {
        base::Lock lock(core_.mutex);
        header = &core_.published.header();
    }
    const uint32_t seen = header->directive.load(std::memory_order_seq_cst);
    DirectiveSleep::sleep(*header, seen, kPauseNs);
}

void GatedPath::wake_callers() {
    ipc::Header* header = nullptr;
    {
        base::Lock lock(core_.mutex);
        if (!bound_) return;  // no caller waits before the words are bound
        header = &core_.published.header();
    }
    header->directive.fetch_add(1, std::memory_order_seq_cst);
    base::futex_wake_all(header->directive);
}

}  // namespace xsched::queue
