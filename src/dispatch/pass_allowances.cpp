// How much of a pass each user gets, as their allowances permit (allowance.h, prices.h).
#include <algorithm>
#include <utility>

#include "base/time.h"
#include "dispatch/dispatcher_state.h"

namespace xsched::dispatch {

// Schedules a pass for the work for which this user's allowance did not suffice.
void DispatcherState::go_on_with(const Allowance& spent, int64_t now_ns) {
    go_on_ns = base::earlier(go_on_ns, std::max(spent.used_until_ns, now_ns + kLeastPauseNs));
}

// Charges the user for writing so many slots. Returns false if the allowance does not suffice; then charges nothing
// and schedules a later pass.
bool DispatcherState::may_write(const ClientSlots& client, uint32_t slots, int64_t now_ns) {
    UserLimits* user = client.view().limits.get();
    if (user == nullptr || user->writing.try_use(slots * kWriteNs, kSavedForWritingNs, now_ns)) return true;
    go_on_with(user->writing, now_ns);
    return false;
}

// Charges the user for a decision about what was read. Returns false if the allowance does not suffice, even with an
// advance. The advance lets what was read be decided before more is read.
bool DispatcherState::may_settle(UserLimits* user, int64_t price_ns, int64_t now_ns) {
    if (user == nullptr || user->looking.try_use(price_ns, kSavedForLookingNs + kInAdvanceNs, now_ns + kInAdvanceNs))
        return true;
    go_on_ns = base::earlier(go_on_ns, user->looking.used_until_ns - kInAdvanceNs + kLeastPauseNs);
    return false;
}

void DispatcherState::charge_ring(const ClientSlots& client, int64_t now_ns) {
    UserLimits* user = client.view().limits.get();
    if (!several_users || user == nullptr) return;
    Allowance& ringing = user->ringing;
    ringing.use(kRingNs, kSavedForRingsNs, now_ns);
    ringing.used_until_ns = std::min(ringing.used_until_ns, now_ns + kLongestRestNs);
    leave_unheard(*user, now_ns);
}

// Tells the user's clients not to wake the scheduling thread until the user's allowance lets their changes be read.
void DispatcherState::leave_unheard(UserLimits& user, int64_t now_ns) const {
    if (!several_users) return;
    const int64_t unread_ns = std::min(user.looking.used_until_ns, now_ns + kLongestRestNs);
    user.unheard_until_ns.store(std::max(user.ringing.used_until_ns, unread_ns), std::memory_order_relaxed);
}

// Reads a client as far as its user's allowance permits. Returns whether all of it was read.
bool DispatcherState::look(ClientSlots& client, int64_t now_ns, bool all) {
    UserLimits* user = client.view().limits.get();
    if (all || user == nullptr) {
        Work work(all ? INT64_MAX : kMostReadNs);
        if (client.scan(now_ns, work)) return true;
        go_on_ns = now_ns;
        return false;
    }
    if (user->looking.is_spent(now_ns)) {
        go_on_with(user->looking, now_ns);
        return false;
    }
    if (std::exchange(user->read_pass, passes) != passes) user->read_ns = 0;
    if (user->read_ns >= kMostReadNs) {
        go_on_ns = now_ns;
        return false;
    }
    Work work(std::min(user->looking.left_ns(kSavedForLookingNs, now_ns), kMostReadNs - user->read_ns));
    const int64_t began_ns = clock_ns();
    const bool complete = client.scan(now_ns, work);
    user->read_ns += work.done_ns();
    const int64_t price_ns = std::max(work.done_ns(), kPriceOfTime * (clock_ns() - began_ns));
    user->looking.use(price_ns, kSavedForLookingNs, now_ns);
    leave_unheard(*user, now_ns);
    if (complete) return true;
    if (user->looking.is_spent(now_ns))
        go_on_with(user->looking, now_ns);
    else
        go_on_ns = now_ns;
    return false;
}

// Returns whether a device may be decided now. A device of several users always may. If one user alone has it, that
// user's allowance must suffice: a delay hurts no other user.
bool DispatcherState::may_decide(const DeviceTable& device, int64_t now_ns) {
    return may_settle(device.only_user(), decision_ns(device.units.size()), now_ns);
}

// Writes a client's directives. Returns false if some are left.
bool DispatcherState::write(ClientSlots& client, uint32_t slots, int64_t now_ns) {
    UserLimits* user = client.view().limits.get();
    const int64_t began_ns = clock_ns();
    const bool complete = client.direct(now_ns, slots);
    const int64_t price_ns = kPriceOfTime * (clock_ns() - began_ns);
    const int64_t paid_ns = slots * kWriteNs;  // by slots_to_write()
    if (user != nullptr && price_ns > paid_ns) user->writing.use(price_ns - paid_ns, kSavedForWritingNs, now_ns);
    return complete;
}

// Returns how many slots of this client may be written in this pass, which is limited per user; 0: no more.
uint32_t DispatcherState::slots_to_write(const ClientSlots& client, int64_t now_ns) {
    UserLimits* user = client.view().limits.get();
    if (user == nullptr) return UINT32_MAX;
    if (std::exchange(user->written_pass, passes) != passes) user->written = 0;
    const uint32_t slots = std::min(client.unwritten(), kFewQueues - std::min(kFewQueues, user->written));
    if (slots == 0 && client.unwritten() != 0) {
        go_on_ns = now_ns;
        return 0;
    }
    if (!may_write(client, slots, now_ns)) return 0;
    user->written += slots;
    return std::max(slots, 1U);
}

}  // namespace xsched::dispatch
