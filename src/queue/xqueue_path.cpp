// XQueue, the path of one command: admit, launched, complete, and what these set free.
#include "base/clock.h"
#include "base/log.h"
#include "queue/pool.h"
#include "queue/token.h"
#include "queue/xqueue.h"

#include <algorithm>
#include <new>
#include <utility>

namespace xsched::queue {
namespace {

// Commands shorter than this are tracked a few at a time, about one in kTrackEveryNs of device time.
constexpr int64_t kShortCommandNs = 20 * base::kMicrosecond;
constexpr int64_t kTrackEveryNs = 50 * base::kMicrosecond;

// The queue whose buffered command this thread is launching: what that command enqueues on it passes at once.
[[gnu::tls_model("initial-exec")]] thread_local const XQueue* t_launching = nullptr;

// Opening a hold may complete commands, and run their callbacks, within the call (drivers differ): what these set
// free is left to the outermost pump of this thread, or a long backlog would become a deep recursion.
struct Deferred {
    static constexpr unsigned kMost = 8;
    bool pumping = false;
    unsigned count = 0;
    XQueue* queues[kMost];

    bool add(XQueue* queue) {
        for (unsigned i = 0; i < count; ++i)
            if (queues[i] == queue) return true;
        if (count == kMost) return false;
        queues[count++] = queue;
        return true;
    }
};
[[gnu::tls_model("initial-exec")]] thread_local Deferred t_deferred;

}  // namespace

std::atomic<void (*)()> g_local_decide{nullptr};

bool XQueue::open() const {
    return !api_suspended_ && placement_.slot->suspended.load(std::memory_order_acquire) == 0;
}

uint32_t XQueue::limit() const {
    return window_.limit(placement_.slot->window_ns.load(std::memory_order_relaxed), meter_.command_ns());
}

void XQueue::note_submitted() {
    const bool was_idle = submitted_ == completed_;
    ++submitted_;
    placement_.slot->submitted.store(submitted_, std::memory_order_relaxed);
    if (was_idle) publish_ready(base::now_ns());
}

// Counters first, then the bell: whoever hears it sees them.
void XQueue::publish_ready(int64_t now_ns) {
    ipc::QueueSlot& slot = *placement_.slot;
    const bool ready = submitted_ != completed_;
    (ready ? slot.ready_since_ns : slot.idle_since_ns).store(now_ns, std::memory_order_release);
    if (placement_.header->watching.load(std::memory_order_seq_cst) == 0) return;
    if (void (*pass)() = g_local_decide.load(std::memory_order_acquire)) pass();
    ipc::ring_doorbell(*placement_.header);
}

void XQueue::note_launched(uint32_t count) {
    if (launched_ == completed_ && count > 0) meter_.flight_began(base::now_ns());
    launched_ += count;
    placement_.slot->launched.store(launched_, std::memory_order_relaxed);
}

void XQueue::note_completed(uint32_t count) {
    const int64_t now = base::now_ns();
    meter_.completed(count, now);
    completed_ += count;
    ipc::QueueSlot& slot = *placement_.slot;
    slot.command_ns.store(meter_.command_ns(), std::memory_order_relaxed);
    slot.busy_ns.store(meter_.busy_ns(), std::memory_order_relaxed);
    slot.completed.store(completed_, std::memory_order_release);
    if (submitted_ == completed_) publish_ready(now);
    wake_waiters();
}

// Every command gets a token where order does not tell about its predecessors, where a hold may come between it and a
// later one, and while somebody watches. Else only so many that the window and the meter stay informed.
XqToken XQueue::make_token(XqTicket& ticket) {
    uint32_t stride = 1;
    const int64_t length = meter_.command_ns();
    const XqDeviceOps& ops = *setup_.ops;
    if (ops.hold_create == nullptr && ops.in_order != 0 && ops.mark != nullptr && length > 0 &&
        length < kShortCommandNs && placement_.header->watching.load(std::memory_order_relaxed) == 0)
        stride = static_cast<uint32_t>(std::clamp<int64_t>(kTrackEveryNs / length, 1, std::max(limit() / 4, 1u)));
    if (++since_tracked_ < stride) return ticket.token = 0;
    since_tracked_ = 0;
    const uint64_t behind = ops.in_order != 0 ? untracked_returned_ - untracked_covered_ : 0;
    ticket.covers = static_cast<uint32_t>(std::min<uint64_t>(behind, kMostCovered - 1)) + 1;
    untracked_covered_ += ticket.covers - 1;
    ++tokens_out_;
    return ticket.token = pack_token(index_, generation_, ticket.covers);
}

void XQueue::launch_here(XqTicket& ticket) {
    note_submitted();
    note_launched(1);
    make_token(ticket);
    ++calls_;
    ticket.verdict = kXqLaunch;
}

HoldGroup* XQueue::joinable() {
    return last_group_ != nullptr && last_group_->count < window_.batch(limit()) ? last_group_ : nullptr;
}

// Calls the driver: no lock.
HoldGroup* XQueue::make_group() {
    auto* group = new (std::nothrow) HoldGroup;
    if (group == nullptr) return nullptr;
    group->hold = setup_.ops->hold_create(setup_.impl);
    if (group->hold != nullptr) return group;
    delete group;
    return nullptr;
}

// Calls the driver: no lock.
void XQueue::destroy_group(HoldGroup* group) {
    setup_.ops->hold_destroy(setup_.impl, group->hold);
    delete group;
}

// mutex_ held. Other threads' calls on this queue may be on their way to the driver and arrive behind this one. If they
// count as in flight, they would wait in the driver behind its hold, and a window that waited for them in turn, or for
// their calls to return, would wait forever: such a command is not kept back by the window, only by a suspension.
bool XQueue::room(bool holds) const { return launched_ - completed_ < limit() || (holds && calls_ > 0); }

void XQueue::admit(XqTicket& ticket, bool may_hold, bool point) {
    ticket = XqTicket{};
    if (setup_.ops->throttle != 0 && may_hold) return admit_throttled(ticket, point);
    HoldGroup* spare = nullptr;
    const bool holds = may_hold && setup_.ops->hold_create != nullptr;
    bool refused = false;
    mutex_.lock();
    for (;;) {
        if (retired_ || t_launching == this || refused || (!backlog() && open() && room(holds))) {
            launch_here(ticket);
            break;
        }
        if (!holds) {
            note_submitted();
            ++buffered_;
            ticket.verdict = kXqBuffer;
            break;
        }
        if (buffered_ != 0) {  // native work cannot overtake buffered callbacks, nor be buffered
            mutex_.unlock();
            drain();
            mutex_.lock();
            continue;
        }
        HoldGroup* group = joinable();
        if (group == nullptr && spare == nullptr) {
            mutex_.unlock();
            spare = make_group();
            refused = spare == nullptr;
            mutex_.lock();
            continue;
        }
        if (group == nullptr) {
            group = std::exchange(spare, nullptr);
            group->overtaken = calls_;
            if (calls_ > 0) wake_waiters();  // a suspend that synchronizes looks at it
            (last_group_ != nullptr ? last_group_->next : groups_) = group;
            last_group_ = group;
        }
        note_submitted();
        ++calls_;
        ++group->count;
        ++group->users;
        make_token(ticket);
        ticket.verdict = kXqLaunch;
        ticket.hold = group->hold;
        ticket.group = group;
        break;
    }
    mutex_.unlock();
    if (spare != nullptr) destroy_group(spare);
}

void XQueue::launched(XqTicket& ticket, bool succeeded, bool report_later) {
    if (setup_.ops->throttle != 0) return launched_throttled(ticket, report_later);
    HoldGroup* finished = nullptr;
    auto* group = static_cast<HoldGroup*>(ticket.group);
    mutex_.lock();
    --calls_;
    if (group != nullptr) {
        if (!succeeded && !group->released) {  // still pending: it leaves the group unlaunched
            --group->count;
            note_launched(1);
        }
        if (--group->users == 0 && group->released) finished = group;
    }
    if (!succeeded) {
        if (ticket.token != 0) {
            untracked_covered_ -= ticket.covers - 1;
            --tokens_out_;
        }
        ticket.token = 0;
        note_completed(1);
    } else if (ticket.token == 0) {
        ++untracked_returned_;
    }
    if (waiters_ != 0) wake_waiters();  // who waits for it may have to ask, or to flush
    if (closing_ && quiet()) [[unlikely]] begin_suspension();
    const bool retired = retired_;
    const bool unordered = groups_ != nullptr && groups_->overtaken != 0;  // no completion may come to let it go
    // The worker may be waiting for completions and this one will not be reported unless it asks.
    const bool wake_worker = succeeded && ticket.token == 0 && first_buffered_ != nullptr;
    if (wake_worker) work_.fetch_add(1, std::memory_order_release);
    mutex_.unlock();
    if (wake_worker) base::futex_wake_all(work_);
    if (finished != nullptr) destroy_group(finished);
    if (!succeeded || unordered) pump();
    if (retired) finish_if_drained();
}

void XQueue::complete(uint32_t generation, uint32_t covers) {
    mutex_.lock();
    if (generation != generation_ || !in_use() || tokens_out_ == 0) {
        mutex_.unlock();
        return;
    }
    --tokens_out_;
    note_completed(covers);
    const bool retired = retired_;
    mutex_.unlock();
    pump();
    if (retired) finish_if_drained();
}

uint64_t XQueue::sync_begin(bool inside) {
    base::Lock lock(mutex_);
    if (setup_.ops->throttle == 0) return untracked_returned_;
    const bool alone = inside && submitted_ - returned_.load(std::memory_order_seq_cst) == 1;
    return alone ? submitted_ : enqueued();
}

void XQueue::sync_end(uint64_t mark) {
    bool more = false;
    {
        base::Lock lock(mutex_);
        if (setup_.ops->throttle != 0) return sync_throttled(mark);
        if (mark > untracked_covered_ && mark <= untracked_returned_) {
            note_completed(static_cast<uint32_t>(mark - untracked_covered_));
            untracked_covered_ = mark;
            more = true;
        }
    }
    if (more) pump();
}

// Takes the groups off that may go now; the caller opens them without the lock. mutex_ held.
HoldGroup* XQueue::pop_releasable() {
    HoldGroup* first = nullptr;
    HoldGroup** tail = &first;
    while (groups_ != nullptr && open()) {
        const uint64_t in_flight = launched_ - completed_;
        if (in_flight != 0 && in_flight + groups_->count > limit() && groups_->overtaken == 0) break;
        HoldGroup* group = groups_;
        groups_ = group->next;
        if (groups_ == nullptr) last_group_ = nullptr;
        group->next = nullptr;
        note_launched(group->count);
        ++group->users;  // the release itself
        group->released = true;
        ++releasing_;
        *tail = group;
        tail = &group->next;
    }
    return first;
}

void XQueue::release_groups(HoldGroup* groups, bool drop) {
    bool retired = false;
    while (groups != nullptr) {
        HoldGroup* group = groups;
        groups = group->next;
        (drop ? setup_.ops->hold_drop : setup_.ops->hold_open)(setup_.impl, group->hold);
        mutex_.lock();
        const bool finished = --group->users == 0;
        mutex_.unlock();
        if (finished) destroy_group(group);
        mutex_.lock();
        --releasing_;
        retired = retired_;
        mutex_.unlock();
    }
    if (retired) finish_if_drained();  // its last command may have completed while the hold was being opened
}

// Sets free what the window and the scheduler allow. Called without the lock after anything that may allow more.
void XQueue::pump() {
    if (t_deferred.pumping && t_deferred.add(this)) return;
    const bool outermost = !std::exchange(t_deferred.pumping, true);
    pump_once();
    if (!outermost) return;
    while (t_deferred.count > 0) t_deferred.queues[--t_deferred.count]->pump_once();
    t_deferred.pumping = false;
}

void XQueue::pump_once() {
    HoldGroup* groups = nullptr;
    bool wake_worker = false;
    {
        base::Lock lock(mutex_);
        if (setup_.ops == nullptr) return;
        groups = pop_releasable();
        if (closing_ && quiet()) begin_suspension();
        // Also when nothing more will be reported: the worker then asks for the rest.
        wake_worker = first_buffered_ != nullptr && (worker_may_launch() || tokens_out_ == 0);
        if (wake_worker) work_.fetch_add(1, std::memory_order_release);
        if (wake_worker && !worker_running_) wake_waiters();
    }
    if (groups != nullptr) release_groups(groups, false);
    if (wake_worker) base::futex_wake_all(work_);
}

XResult XQueue::launch_owned(XqCommand* command, XqToken token) {
    const XQueue* const before = t_launching;
    t_launching = this;
    const XResult result = command->ops->launch(command, setup_.impl, token);
    t_launching = before;
    return result;
}

}  // namespace xsched::queue
