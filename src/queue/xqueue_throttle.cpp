// XQueue on throttled devices: gates before commands, progress after them, and a caller that waits at the cap.
//
// While nobody competes (no window, nobody watching, no threshold set) a command costs two counters: no gate, no
// progress, and what has completed is not known. When somebody begins to watch, the agent asks the device once
// (track_tail) and from then on commands report themselves.
#include "base/clock.h"
#include "base/log.h"
#include "base/spin.h"
#include "queue/xqueue.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace xsched::queue {
namespace {

// In flight while somebody may suspend the queue: the vendors' queues hold about 1024 launches, and a full one behind
// a closed gate would block the caller inside the driver with locks held that other threads need.
constexpr uint32_t kCap = 512;

// A gate costs the host 1.3 us and the device 2 us: one per this much device time, not one per command.
constexpr int64_t kGateEveryNs = 150 * base::kMicrosecond;
// Where the hardware takes the whole process off at once, gates hold only what would start in the urgent one's pauses.
constexpr int64_t kGateEveryPreemptedNs = 500 * base::kMicrosecond;
constexpr uint32_t kGateEveryCommands = 64;
// A report costs as much. Between two, the end of a synchronize tells, and the scheduler asks (track_tail) when it
// sees no progress for a while.
constexpr int64_t kReportEveryNs = base::kMillisecond;
constexpr uint32_t kReportEveryCommands = 64;

constexpr int64_t kLookNs = 20 * base::kMicrosecond;   // for room, while running
constexpr int64_t kSpinNs = 50 * base::kMicrosecond;   // after something completed
constexpr int64_t kPauseNs = base::kMillisecond;       // for a resume that wakes nobody
constexpr int64_t kPatienceNs = 10 * base::kSecond;    // of a caller whose own program suspended the queue
// Of a caller at the window of an open queue in which nothing completes: so long, or so many commands' time.
constexpr int64_t kStuckNs = 50 * base::kMillisecond;
constexpr int64_t kStuckCommands = 4;
constexpr int64_t kWordsLentNs = 30 * base::kSecond;  // to a destroyed stream of which nothing more is heard

uint32_t every(int64_t wanted_ns, int64_t command_ns, uint32_t most) {
    if (command_ns <= 0) return std::min(most, 4u);
    return static_cast<uint32_t>(std::clamp<int64_t>(wanted_ns / command_ns, 1, most));
}

void pause_a_little() {
    static constinit std::atomic<int> known{-1};
    int to_spare = known.load(std::memory_order_relaxed);
    if (to_spare < 0) known.store(to_spare = base::processors_to_spare() ? 1 : 0, std::memory_order_relaxed);
    if (to_spare == 0) return static_cast<void>(sched_yield());
    for (int i = 0; i < 16; ++i) base::pause_processor();
}

void sleep_ns(int64_t ns) {
    const timespec time{0, static_cast<long>(ns)};
    nanosleep(&time, nullptr);
}

}  // namespace

// mutex_ held. The device's word, or the backend's answer, as the count of completed commands.
void XQueue::absorb_progress() {
    ipc::QueueSlot& slot = *placement_.slot;
    uint32_t passed = slot.progress.load(std::memory_order_acquire);
    if (bound_ && !gates_ && setup_.ops->progress_read(setup_.impl, &passed) == kXSchedSuccess)
        slot.progress.store(passed, std::memory_order_release);
    const uint64_t done = ipc::completed_commands(slot);
    if (done <= completed_) return;
    const int64_t now = base::now_ns();
    if (observed_) meter_.completed(share_.of(static_cast<uint32_t>(done - completed_)), now);
    completed_ = done;
    observed_ = true;
    slot.completed.store(done, std::memory_order_release);
    slot.command_ns.store(meter_.command_ns(), std::memory_order_relaxed);
    slot.busy_ns.store(meter_.busy_ns(), std::memory_order_relaxed);
}

// mutex_ held.
int64_t XQueue::gate_every_ns() const {
    const bool preempted = placement_.slot->device_timeslice_us.load(std::memory_order_relaxed) != 0;
    return preempted ? kGateEveryPreemptedNs : kGateEveryNs;
}

// mutex_ held. How long the device goes on with what is launched after the queue was suspended, on average.
int64_t XQueue::run_on_ns() const {
    const int64_t command_ns = meter_.command_ns();
    const int64_t in_flight_ns = static_cast<int64_t>(submitted_ - completed_) * share_.mean(command_ns);
    return gates_ ? std::min(in_flight_ns, std::max(command_ns, gate_every_ns()) / 2) : in_flight_ns;
}

// mutex_ held. Whether a gate goes before the next command.
bool XQueue::gate_due(bool closed) {
    const ipc::QueueSlot& slot = *placement_.slot;
    if (closed) {
        const int64_t since = std::max(api_suspended_ns_, slot.directed_ns.load(std::memory_order_relaxed));
        if (std::exchange(gated_at_ns_, since) != since) return true;
        if (setup_.level < kPreemptLevelDeactivate) return false;  // behind this suspension's gate already
    }
    // Also among what stands behind a closed gate: once that opens it is launched work that the next one must stop.
    return (closed || managed_ || slot.window_ns.load(std::memory_order_relaxed) > 0) &&
           since_gate_ + 1 >= every(gate_every_ns(), meter_.command_ns(), kGateEveryCommands);
}

// Of so many commands, one reports itself.
uint32_t XQueue::report_stride(uint32_t most, int64_t mean_ns) const {
    return every(kReportEveryNs, mean_ns, std::clamp<uint32_t>(most / 4, 1, kReportEveryCommands));
}

// mutex_ held.
XQueue::Throttle XQueue::decide(bool retry, bool point) {
    Throttle plan;
    const ipc::QueueSlot& slot = *placement_.slot;
    const bool closed = !open();
    const int64_t window_ns = slot.window_ns.load(std::memory_order_relaxed);
    if (!followed()) {  // any more
        observed_ = false;
        return plan;
    }
    const int64_t mean_ns = share_.mean(meter_.command_ns());
    const bool gated = gates_ && setup_.level >= kPreemptLevelDeactivate;
    uint32_t most = UINT32_MAX;
    if (window_.threshold() != 0) most = window_.threshold();
    else if (closed || managed_ || window_ns > 0)
        most = gated ? kCap : window_.limit(window_ns, mean_ns);
    plan.report = submitted_ + 1 - reported_ >= report_stride(most, mean_ns);
    // All reported: the device's word tells whether the queue was idle, which is then rung.
    if (plan.report || retry || reported_ == submitted_ || submitted_ - completed_ >= most) absorb_progress();
    // At level 1 too: what comes while the queue is closed stands behind one gate, as far as the window has room.
    const bool behind_gate = gates_ && closed;
    plan.wait = (closed && !behind_gate && bound_) || submitted_ - completed_ >= most;
    if (plan.wait) return plan;
    plan.gate = !point && (gated || behind_gate) && gate_due(closed);
    return plan;
}

// mutex_ held.
void XQueue::count(XqTicket& ticket, bool point) {
    enqueued();  // before this command's call is on its way
    ++submitted_;
    ++launched_;
    ipc::QueueSlot& slot = *placement_.slot;
    slot.submitted.store(submitted_, std::memory_order_relaxed);
    slot.launched.store(launched_, std::memory_order_relaxed);
    share_.note(point);
    since_gate_ += point ? 0 : 1;
    ticket.covers = point ? 0 : 1;
    ticket.verdict = kXqLaunch;
}

// mutex_ held.
void XQueue::count_throttled(const Throttle& plan, XqTicket& ticket, bool point) {
    const bool idle = observed_ && submitted_ == completed_;
    count(ticket, point);
    if (idle || (!observed_ && (plan.report || plan.gate))) {
        const int64_t now = base::now_ns();
        meter_.flight_began(now);
        publish_ready(now);
    }
    if (plan.gate) since_gate_ = 0;
    if (plan.report) reported_ = submitted_;
    ticket.group = plan.report ? this : nullptr;
}

// mutex_ held. Whether anybody wants to know, or may stop it: else two counters are all.
bool XQueue::followed() const {
    const ipc::QueueSlot& slot = *placement_.slot;
    return managed_ || retired_ || window_.threshold() != 0 || !open() ||
           slot.window_ns.load(std::memory_order_relaxed) > 0 ||
           placement_.header->watching.load(std::memory_order_relaxed) != 0;
}

void XQueue::admit_throttled(XqTicket& ticket, bool point) {
    mutex_.lock();
    if (followed()) [[unlikely]] {
        mutex_.unlock();
        return admit_followed(ticket, point);
    }
    observed_ = false;
    count(ticket, point);
    mutex_.unlock();
}

void XQueue::admit_followed(XqTicket& ticket, bool point) {
    Wait wait;
    Throttle plan;
    for (;;) {
        mutex_.lock();
        if (followed() && !bound_ && !retired_) {
            mutex_.unlock();
            bind_words();
            continue;
        }
        const bool closed = !open();
        if (!retired_) plan = decide(wait.began_ns != 0, point);
        if (retired_ || !plan.wait || out_of_patience(wait, closed)) break;
        if (wait.began_ns == 0) announce_waiting(wait);
        mutex_.unlock();
        wait_for_room(wait, closed);
    }
    if (wait.began_ns != 0 && waiting_ > 0) placement_.slot->waiting.store(--waiting_, std::memory_order_release);
    count_throttled(plan, ticket, point);
    mutex_.unlock();
    if (plan.gate) setup_.ops->gate_wait(setup_.impl);
}

// mutex_ held. A queue with a waiting caller has work, even if nothing of it is in flight.
void XQueue::announce_waiting(Wait& wait) {
    wait.began_ns = wait.seen_ns = wait.progress_ns = base::now_ns();
    wait.completed = completed_;
    placement_.slot->waiting.store(++waiting_, std::memory_order_release);
    if (submitted_ == completed_) placement_.slot->ready_since_ns.store(wait.began_ns, std::memory_order_release);
    ipc::ring_doorbell(*placement_.header);
}

// mutex_ held. Whether a caller goes ahead although the queue is closed or full: what is in flight may need something
// that this very thread does next (it stores the value a stream waits for, or launches what another stream waits for),
// and without us it would have come to that.
bool XQueue::out_of_patience(Wait& wait, bool closed) {
    if (wait.began_ns == 0) return !closed && completed_ == stuck_at_;
    const int64_t now = base::now_ns();
    const int64_t looked = now - std::exchange(wait.seen_ns, now);
    if (completed_ != std::exchange(wait.completed, completed_)) {
        wait.stuck_ns = 0;
        wait.progress_ns = now;
    }
    if (api_suspended_) wait.suspended_ns += looked;
    else if (!closed) wait.stuck_ns += looked;
    if (!closed && wait.stuck_ns >= std::max(kStuckNs, kStuckCommands * meter_.command_ns())) {
        stuck_at_ = completed_;  // the callers after this one do not wait again before something completes
        return true;
    }
    if (wait.suspended_ns < kPatienceNs) return false;
    XLOG_WARN("queue 0x%lx: a thread waited 10 s to launch on a queue that this program itself suspended; its "
              "command goes ahead (resume from another thread, or keep fewer commands behind the suspension)",
              static_cast<unsigned long>(handle()));
    return true;
}

// A small window of short commands would run empty while its caller sleeps (20 us are 70 and more with a thread's usual
// timer slack): while something completes it looks again at once, and gives way to others where processors are few.
void XQueue::wait_for_room(const Wait& wait, bool closed) {
    track_tail();  // what is in flight must report, or nothing would make room
    if (!closed) return wait.seen_ns - wait.progress_ns < kSpinNs ? pause_a_little() : sleep_ns(kLookNs);
    ipc::Header& header = *this->header();
    const uint32_t seen = header.directive.load(std::memory_order_seq_cst);
    base::futex_wait(header.directive, seen, kPauseNs);
}

// Tells the backend where gate and progress are. No lock held.
void XQueue::bind_words() {
    XqWords words{};
    {
        base::Lock lock(mutex_);
        ipc::QueueSlot& slot = *placement_.slot;
        slot.progress.store(static_cast<uint32_t>(completed_), std::memory_order_release);
        words.gate = reinterpret_cast<uint32_t*>(&slot.gate);
        words.progress = reinterpret_cast<uint32_t*>(&slot.progress);
        words.linger = reinterpret_cast<uint32_t*>(&slot.linger);
        touched_ = true;  // from here on: the backend may try what the stream can wait on
    }
    const bool gates = setup_.ops->bind(setup_.impl, &words) == kXSchedSuccess;
    base::Lock lock(mutex_);
    if (words.gate != reinterpret_cast<uint32_t*>(&placement_.slot->gate)) return;  // moved meanwhile: again
    bound_ = true;
    gates_ = gates;
    observed_ = linger_prepared_ = false;
    reported_ = written_ = completed_;
    placement_.slot->device_progress.store(1, std::memory_order_release);
    if (!gates && setup_.level > kPreemptLevelBlock) {
        setup_.level = kPreemptLevelBlock;
        placement_.slot->level.store(setup_.level, std::memory_order_relaxed);
    }
    // The agent has something to prepare; it could not while the backend knew no words.
    if (setup_.ops->prepare_linger != nullptr && placement_.header->linger_wanted.load(std::memory_order_acquire) != 0)
        ipc::ring_directive(*placement_.header);
}

// A destroyed stream still does its work: behind a gate, whose word must not become another queue's, closed perhaps for
// ever, and up to its last report. Where that was refused, or dies with its context, time has to do.
bool XQueue::words_free() {
    base::Lock lock(mutex_);
    if (!words_lent_) return true;
    const uint32_t passed = placement_.slot->progress.load(std::memory_order_acquire);
    words_lent_ = passed != static_cast<uint32_t>(submitted_) && base::now_ns() - retired_ns_ < kWordsLentNs;
    return !words_lent_;
}

// mutex_ held. Up to here every command is surely in the driver's queue: the count at which last no driver call was on
// its way. What is behind it may still be missing there, whatever number it has.
uint64_t XQueue::enqueued() {
    if (returned_.load(std::memory_order_seq_cst) == submitted_) enqueued_ = submitted_;
    return enqueued_;
}

// Puts a report behind all that is surely enqueued, if it says something new. While other threads' calls are on their
// way that may be less than was asked for: the last of them to return does the rest (owed_). No lock held.
void XQueue::write_progress() {
    const uint32_t generation = this->generation();
    for (bool again = true; again;) {
        uint64_t value = 0;
        {
            base::Lock lock(mutex_);
            if (!in_use() || retired_ || !bound_) return;
            if (enqueued() < reported_) owed_.store(true, std::memory_order_seq_cst);
            value = enqueued();  // looked at again: the last call may have returned before it could see owed_
            if (value >= reported_) owed_.store(false, std::memory_order_relaxed);
            if (value <= written_) return;
            written_ = value;
            overlapped_ = overlapped_ || writes_out_ > 0;
            ++writes_out_;
        }
        const XResult result = setup_.ops->progress_write(setup_.impl, static_cast<uint32_t>(value));
        base::Lock lock(mutex_);
        if (generation != this->generation() || !in_use()) return;
        --writes_out_;
        const bool refused = result != kXSchedSuccess;  // not now: the next command tries again
        if (refused) reported_ = std::min(reported_, completed_);
        // Of two at once nobody knows which came last, and it may be the smaller number: said again.
        again = !refused && overlapped_ && writes_out_ == 0;
        if (writes_out_ == 0) overlapped_ = false;
        if (refused || again) written_ = std::min(written_, completed_);
    }
}

// The agent's and a waiting caller's: ask the device to report all that was launched.
void XQueue::track_throttled_tail() {
    for (;;) {
        {
            base::Lock lock(mutex_);
            if (!in_use() || retired_ || (bound_ && written_ == submitted_)) return;
            if (bound_) {
                reported_ = submitted_;
                break;
            }
        }
        bind_words();
    }
    write_progress();
}

// A caller of ours may wait for the gate to open.
void XQueue::wake_throttled() {
    if (setup_.ops->throttle == 0) return;
    ipc::Header& header = *this->header();
    header.directive.fetch_add(1, std::memory_order_seq_cst);
    base::futex_wake_all(header.directive);
}

// mutex_ held: a synchronize returned, everything up to `mark` is complete.
void XQueue::sync_throttled(uint64_t mark) {
    if (mark < completed_ || mark > submitted_) return;
    ipc::QueueSlot& slot = *placement_.slot;
    const bool was_ready = submitted_ != slot.completed.load(std::memory_order_relaxed);
    const int64_t now = base::now_ns();
    if (observed_ && mark > completed_) meter_.completed(share_.of(static_cast<uint32_t>(mark - completed_)), now);
    completed_ = mark;
    observed_ = true;
    slot.command_ns.store(meter_.command_ns(), std::memory_order_relaxed);
    slot.busy_ns.store(meter_.busy_ns(), std::memory_order_relaxed);
    slot.completed.store(completed_, std::memory_order_release);
    if (was_ready && submitted_ == completed_) publish_ready(now);
}

void XQueue::point(bool can_ask) {
    {
        base::Lock lock(mutex_);
        if (!in_use() || retired_ || !bound_ || written_ == submitted_) return;
        if (placement_.header->watching.load(std::memory_order_relaxed) == 0) return;
        // One that stands back for others reports now and then anyhow: nobody more urgent waits for its end, and who waits
        // for the event tells of it.
        const bool gated = can_ask && gates_ && setup_.level >= kPreemptLevelDeactivate && window_.threshold() == 0 &&
                           placement_.slot->window_ns.load(std::memory_order_relaxed) > 0;
        if (gated && submitted_ - reported_ < report_stride(kCap, share_.mean(meter_.command_ns()))) return;
        reported_ = submitted_;
    }
    write_progress();
}

// The driver's call has returned, well or not: a failed one counts too, as the progress of a later one covers it.
void XQueue::launched_throttled(const XqTicket& ticket, bool report_later) {
    returned_.fetch_add(1, std::memory_order_seq_cst);
    // What lingers keeps the device until the next work is there, not only a place in it.
    if (lingering_.load(std::memory_order_relaxed) && ticket.covers != 0) [[unlikely]] leave();
    if (ticket.group == nullptr && !owed_.load(std::memory_order_seq_cst)) return;
    if (report_later) owed_.store(true, std::memory_order_seq_cst);
    else write_progress();
}

}  // namespace xsched::queue
