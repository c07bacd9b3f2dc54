#include "queue/path/held_path.h"

#include <sched.h>

#include <new>
#include <utility>

namespace xsched::queue {
namespace {

// Identifies the current thread: the address of this variable differs in every thread.
[[gnu::tls_model("initial-exec")]] thread_local const char t_held_self = 0;

}  // namespace

bool HeldPath::split_begins() {
    base::Lock lock(core_.mutex);
    if (!core_.in_use || core_.retired || splitter_ != nullptr || buffered_.calls() > 0) return false;
    splitter_ = &t_held_self;
    return true;
}

void HeldPath::split_over() {
    base::Lock lock(core_.mutex);
    if (splitter_ == &t_held_self) splitter_ = nullptr;
}

// Waits until another thread's copy in pieces is launched. Gives up the lock meanwhile. The copying thread's own calls
// do not wait.
void HeldPath::wait_for_split() {
    while (splitter_ != nullptr && splitter_ != &t_held_self && !core_.retired) {
        core_.mutex.unlock();
        sched_yield();
        core_.mutex.lock();
    }
}

HoldGroup* HeldPath::joinable() {
    return last_ != nullptr && last_->count < core_.window.batch(core_.limit()) ? last_ : nullptr;
}

// Calls the driver: no lock.
HoldGroup* HeldPath::make_group() {
    auto* group = new (std::nothrow) HoldGroup;
    if (group == nullptr) return nullptr;
    group->hold = core_.setup.ops->hold->create(core_.setup.impl);
    if (group->hold != nullptr) return group;
    delete group;
    return nullptr;
}

// Calls the driver: no lock.
void HeldPath::destroy_group(HoldGroup* group) {
    core_.setup.ops->hold->destroy(core_.setup.impl, group->hold);
    delete group;
}

// Returns whether the window has room for one more command. While calls of other threads on this queue are under way
// there always is room: their commands may arrive behind this one, and would wait in the driver behind its hold. A
// window that waited for those commands would wait forever. Lock held.
bool HeldPath::room() const { return core_.running() < core_.limit() || buffered_.calls() > 0; }

// Adds a group as the last one. Lock held.
void HeldPath::append(HoldGroup* group) {
    group->overtaken = buffered_.calls();
    if (buffered_.calls() > 0) core_.waiters.wake();  // a thread that suspends and synchronizes looks at this
    (last_ != nullptr ? last_->next : first_) = group;
    last_ = group;
}

// Adds a command to a group, and fills in its ticket. Lock held.
void HeldPath::join(HoldGroup* group, XqTicket& ticket, XqStand own) {
    ticket.stand = core_.note_submitted(own);
    buffered_.call_begins();
    ++group->count;
    ++group->users;
    buffered_.make_token(ticket);
    ticket.verdict = kXqLaunch;
    ticket.hold = group->hold;
    ticket.group = group;
}

void HeldPath::admit(XqTicket& ticket, CommandKind) { admit_standing(ticket, 0); }

void HeldPath::admit_standing(XqTicket& ticket, XqStand own) {
    ticket = XqTicket{};
    HoldGroup* spare = nullptr;
    bool refused = false;
    core_.mutex.lock();
    for (;;) {
        wait_for_split();
        const bool clear = first_ == nullptr && buffered_.count() == 0 && core_.open() && room();
        if (clear || core_.retired || refused || buffered_.passes()) {
            buffered_.launch_here(ticket, own);
            break;
        }
        if (buffered_.count() != 0) {  // native work cannot overtake buffered callbacks, nor be buffered
            core_.mutex.unlock();
            buffered_.drain();
            core_.mutex.lock();
            continue;
        }
        HoldGroup* group = joinable();
        if (group == nullptr && spare == nullptr) {
            core_.mutex.unlock();
            spare = make_group();
            refused = spare == nullptr;
            core_.mutex.lock();
            continue;
        }
        if (group == nullptr) append(group = std::exchange(spare, nullptr));
        join(group, ticket, own);
        break;
    }
    core_.mutex.unlock();
    if (spare != nullptr) destroy_group(spare);
}

// Admits a command that must carry no hold: everything held before it is opened, even if the window is full. The
// commands that fill the window may be waiting for what this thread does next.
void HeldPath::admit_unheld(XqTicket& ticket) {
    ticket = XqTicket{};
    {
        base::Lock lock(core_.mutex);
        ticket.stand = core_.note_submitted();  // the scheduler sees that the queue has work
    }
    core_.wait_until([this] { return core_.retired || core_.open(); });
    HoldGroup* groups = nullptr;
    {
        base::Lock lock(core_.mutex);
        groups = pop_all();
        buffered_.launch_submitted(ticket);
    }
    release(groups, Release::kOpen);
}

// Admits a callback command. Behind native work that is held back it goes to the buffer.
void HeldPath::admit_callback(XqTicket& ticket) {
    ticket = XqTicket{};
    base::Lock lock(core_.mutex);
    wait_for_split();
    const bool clear = first_ == nullptr && buffered_.count() == 0 && core_.open() && core_.in_flight() < core_.limit();
    if (clear || core_.retired || buffered_.passes()) return buffered_.launch_here(ticket);
    buffered_.reserve(ticket);
}

void HeldPath::launched(XqTicket& ticket, uint32_t outcome) {
    const bool succeeded = (outcome & kXqSucceeded) != 0;
    HoldGroup* finished = nullptr;
    auto* group = static_cast<HoldGroup*>(ticket.group);
    core_.mutex.lock();
    if (group != nullptr) {
        if (!succeeded && !group->released) {  // the command is still pending: it leaves the group unlaunched
            --group->count;
            core_.note_launched(1);
        }
        if (--group->users == 0 && group->released) finished = group;
    }
    const bool wake = buffered_.call_returned(ticket, succeeded);
    if (!succeeded) ticket.token = 0;
    core_.waiters.wake();  // a thread that waits for it may have to ask, or to flush
    if (core_.suspension.closing && quiet()) [[unlikely]]
        core_.begin_suspension();
    const bool retired = core_.retired;
    const bool unordered = first_ != nullptr && first_->overtaken != 0;  // perhaps no completion comes to release it
    core_.mutex.unlock();
    if (wake) buffered_.wake_worker();
    if (finished != nullptr) destroy_group(finished);
    if (!succeeded || unordered) core_.owner.pump();
    if (retired) core_.owner.finish_if_drained();
}

uint32_t HeldPath::arriving() const {
    uint32_t held = 0;
    for (const HoldGroup* group = first_; group != nullptr; group = group->next) held += group->users;
    return buffered_.calls() - held;
}

bool HeldPath::quiet() const {
    const bool opens = overtaken() != 0 && core_.open();  // opens the first groups at once
    return !opens && arriving() == 0;
}

// Counts a group's commands as launched, since its hold is about to be opened. Lock held.
void HeldPath::note_released(HoldGroup* group) {
    core_.note_launched(group->count);
    ++group->users;  // the release itself
    group->released = true;
    ++core_.busy;
}

HoldGroup* HeldPath::pop_releasable() {
    HoldGroup* first = nullptr;
    HoldGroup** tail = &first;
    while (first_ != nullptr && core_.open()) {
        const uint64_t running = core_.running();
        if (running != 0 && running + first_->count > core_.limit() && first_->overtaken == 0) break;
        HoldGroup* group = first_;
        first_ = group->next;
        if (first_ == nullptr) last_ = nullptr;
        group->next = nullptr;
        note_released(group);
        *tail = group;
        tail = &group->next;
    }
    return first;
}

HoldGroup* HeldPath::pop_all() {
    HoldGroup* const groups = std::exchange(first_, nullptr);
    last_ = nullptr;
    for (HoldGroup* group = groups; group != nullptr; group = group->next) note_released(group);
    return groups;
}

void HeldPath::release(HoldGroup* groups, Release how) {
    bool retired = false;
    while (groups != nullptr) {
        HoldGroup* group = groups;
        groups = group->next;
        const XqHoldOps& ops = *core_.setup.ops->hold;
        (how == Release::kDrop ? ops.drop : ops.open)(core_.setup.impl, group->hold);
        core_.mutex.lock();
        const bool finished = --group->users == 0;
        core_.mutex.unlock();
        if (finished) destroy_group(group);
        core_.mutex.lock();
        --core_.busy;
        retired = core_.retired;
        core_.mutex.unlock();
    }
    if (retired)
        core_.owner.finish_if_drained();  // the last command may have completed while the hold was being opened
}

}  // namespace xsched::queue
