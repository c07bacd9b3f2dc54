// XQueue on throttled devices: gates before commands, progress after them, and a caller that waits at the cap.
//
// While nobody competes (no window, nobody watching, no threshold set) a command costs two counters: no gate, no
// progress, and what has completed is not known. When somebody begins to watch, the agent asks the device once
// (track_tail) and from then on commands report themselves.
#include "base/clock.h"
#include "base/log.h"
#include "queue/xqueue.h"

#include <algorithm>
#include <ctime>

namespace xsched::queue {
namespace {

// In flight while somebody may suspend the queue: the vendors' queues hold about 1024 launches, and a full one behind
// a closed gate would block the caller inside the driver with locks held that other threads need.
constexpr uint32_t kCap = 512;

// A gate costs the host 1.3 us and the device 2 us: one per this much device time, not one per command.
constexpr int64_t kGateEveryNs = 100 * base::kMicrosecond;
constexpr uint32_t kGateEveryCommands = 64;
// A report costs as much. Between two, the end of a synchronize tells, and the scheduler asks (track_tail) when it
// sees no progress for a while.
constexpr int64_t kReportEveryNs = base::kMillisecond;
constexpr uint32_t kReportEveryCommands = 64;

constexpr int64_t kLookNs = 20 * base::kMicrosecond;   // for room, while running
constexpr int64_t kPauseNs = base::kMillisecond;       // for a resume that wakes nobody
constexpr int64_t kPatienceNs = 10 * base::kSecond;    // of a caller whose own program suspended the queue

uint32_t every(int64_t wanted_ns, int64_t command_ns, uint32_t most) {
    if (command_ns <= 0) return std::min(most, 4u);
    return static_cast<uint32_t>(std::clamp<int64_t>(wanted_ns / command_ns, 1, most));
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
    if (observed_) meter_.completed(static_cast<uint32_t>(done - completed_), now);
    completed_ = done;
    observed_ = true;
    slot.completed.store(done, std::memory_order_release);
    slot.command_ns.store(meter_.command_ns(), std::memory_order_relaxed);
    slot.busy_ns.store(meter_.busy_ns(), std::memory_order_relaxed);
}

// mutex_ held. Whether a gate goes before the next command.
bool XQueue::gate_due(bool closed) {
    const ipc::QueueSlot& slot = *placement_.slot;
    if (closed) {
        const int64_t since = std::max(api_suspended_ns_, slot.directed_ns.load(std::memory_order_relaxed));
        if (gated_at_ns_ == since) return false;  // behind this suspension's gate already
        gated_at_ns_ = since;
        return true;
    }
    return slot.window_ns.load(std::memory_order_relaxed) > 0 &&
           since_gate_ + 1 >= every(kGateEveryNs, meter_.command_ns(), kGateEveryCommands);
}

// mutex_ held.
XQueue::Throttle XQueue::decide(bool retry) {
    Throttle plan;
    const ipc::QueueSlot& slot = *placement_.slot;
    const bool closed = !open();
    const int64_t window_ns = slot.window_ns.load(std::memory_order_relaxed);
    const bool watched = placement_.header->watching.load(std::memory_order_relaxed) != 0;
    if (!closed && !watched && window_ns == 0 && window_.threshold() == 0) {
        observed_ = false;
        return plan;
    }
    const bool gated = gates_ && setup_.level >= kPreemptLevelDeactivate;
    uint32_t most = UINT32_MAX;
    if (window_.threshold() != 0) most = window_.threshold();
    else if (closed || window_ns > 0) most = gated ? kCap : window_.limit(window_ns, meter_.command_ns());
    const uint32_t stride = every(kReportEveryNs, meter_.command_ns(),
                                  std::clamp<uint32_t>(most / 4, 1, kReportEveryCommands));
    plan.report = submitted_ + 1 - reported_ >= stride;
    // All reported: the device's word tells whether the queue was idle, which is then rung.
    if (plan.report || retry || reported_ == submitted_ || submitted_ - completed_ >= most) absorb_progress();
    plan.wait = (closed && !gated && bound_) || submitted_ - completed_ >= most;
    if (plan.wait) return plan;
    plan.gate = gated && gate_due(closed);
    plan.report = plan.report || plan.gate;
    return plan;
}

void XQueue::admit_throttled(XqTicket& ticket) {
    int64_t waited_ns = 0;
    Throttle plan;
    for (bool retry = false;; retry = true) {
        mutex_.lock();
        const bool closed = !open();
        const bool unbound = !bound_ && (closed || placement_.slot->window_ns.load(std::memory_order_relaxed) > 0 ||
                                         placement_.header->watching.load(std::memory_order_relaxed) != 0 ||
                                         window_.threshold() != 0);
        if (unbound && !retired_) {
            mutex_.unlock();
            if (!bind_words()) break;
            continue;
        }
        if (!retired_) plan = decide(retry);
        if (retired_ || !plan.wait || waited_ns >= kPatienceNs) {
            const bool idle = observed_ && submitted_ == completed_;
            ++submitted_;
            ++launched_;
            ipc::QueueSlot& slot = *placement_.slot;
            slot.submitted.store(submitted_, std::memory_order_relaxed);
            slot.launched.store(launched_, std::memory_order_relaxed);
            if (idle || (!observed_ && (plan.report || plan.gate))) {
                const int64_t now = base::now_ns();
                meter_.flight_began(now);
                publish_ready(now);
            }
            ++since_gate_;
            if (plan.gate) since_gate_ = 0;
            if (plan.report) reported_ = submitted_;
            ticket.covers = plan.report ? static_cast<uint32_t>(submitted_) : 0;
            ticket.group = plan.report ? this : nullptr;
            mutex_.unlock();
            break;
        }
        mutex_.unlock();
        wait_for_room(closed, waited_ns);
    }
    if (plan.gate) setup_.ops->gate_wait(setup_.impl);
    ticket.verdict = kXqLaunch;
}

void XQueue::wait_for_room(bool closed, int64_t& waited_ns) {
    track_tail();  // what is in flight must report, or nothing would make room
    const int64_t began = base::now_ns();
    if (closed) {
        ipc::Header& header = *this->header();
        const uint32_t seen = header.directive.load(std::memory_order_seq_cst);
        base::futex_wait(header.directive, seen, kPauseNs);
    } else {
        sleep_ns(kLookNs);
    }
    base::Lock lock(mutex_);
    if (!api_suspended_) return;
    waited_ns += base::now_ns() - began;
    if (waited_ns >= kPatienceNs)
        XLOG_WARN("queue 0x%lx: a thread waited 10 s to launch on a queue that this program itself suspended; its "
                  "command goes ahead (resume from another thread, or keep fewer commands behind the suspension)",
                  static_cast<unsigned long>(handle()));
}

// Tells the backend where gate and progress are. No lock held. False: the queue goes unscheduled.
bool XQueue::bind_words() {
    uint32_t* gate = nullptr;
    uint32_t* progress = nullptr;
    {
        base::Lock lock(mutex_);
        ipc::QueueSlot& slot = *placement_.slot;
        slot.progress.store(static_cast<uint32_t>(completed_), std::memory_order_release);
        gate = reinterpret_cast<uint32_t*>(&slot.gate);
        progress = reinterpret_cast<uint32_t*>(&slot.progress);
    }
    const bool gates = setup_.ops->bind(setup_.impl, gate, progress) == kXSchedSuccess;
    base::Lock lock(mutex_);
    if (gate != reinterpret_cast<uint32_t*>(&placement_.slot->gate)) return true;  // moved meanwhile: again
    bound_ = true;
    gates_ = gates;
    observed_ = false;
    reported_ = completed_;
    placement_.slot->device_progress.store(1, std::memory_order_release);
    if (!gates && setup_.level > kPreemptLevelBlock) {
        setup_.level = kPreemptLevelBlock;
        placement_.slot->level.store(setup_.level, std::memory_order_relaxed);
    }
    return true;
}

// No lock held: calls the backend.
void XQueue::write_progress(uint32_t value) {
    if (setup_.ops->progress_write(setup_.impl, value) == kXSchedSuccess) return;
    base::Lock lock(mutex_);  // not now: the next command tries again
    reported_ = std::min(reported_, completed_);
}

// The agent's and a waiting caller's: ask the device to report all that was launched.
void XQueue::track_throttled_tail() {
    uint32_t value = 0;
    for (;;) {
        {
            base::Lock lock(mutex_);
            if (!in_use() || retired_ || (bound_ && reported_ == submitted_)) return;
            if (bound_) {
                reported_ = submitted_;
                value = static_cast<uint32_t>(submitted_);
                break;
            }
        }
        bind_words();
    }
    write_progress(value);
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
    if (observed_ && mark > completed_) meter_.completed(static_cast<uint32_t>(mark - completed_), now);
    completed_ = mark;
    observed_ = true;
    slot.command_ns.store(meter_.command_ns(), std::memory_order_relaxed);
    slot.busy_ns.store(meter_.busy_ns(), std::memory_order_relaxed);
    slot.completed.store(completed_, std::memory_order_release);
    if (was_ready && submitted_ == completed_) publish_ready(now);
}

void XQueue::point() {
    uint32_t value = 0;
    {
        base::Lock lock(mutex_);
        if (!in_use() || retired_ || !bound_ || reported_ == submitted_) return;
        if (placement_.header->watching.load(std::memory_order_relaxed) == 0) return;
        reported_ = submitted_;
        value = static_cast<uint32_t>(submitted_);
    }
    write_progress(value);
}

}  // namespace xsched::queue
