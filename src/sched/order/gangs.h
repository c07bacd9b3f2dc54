// All gangs (gang.h), and what they change about a decision on one device: what the policy is told of their members,
// and what becomes of its answers. Not thread-safe. Allocates only when members come or go.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "sched/pattern/gang.h"
#include "sched/state/pass.h"

namespace xsched::sched {

class Gangs {
public:
    // Of one user; members of further ones are in none.
    static constexpr uint32_t kMostOfUser = 64;
    // Of one gang; members on further ones are in none.
    static constexpr size_t kMostDevices = 16;
    // A unit that was busy within that time votes: it may need the device again at once.
    static constexpr int64_t kRecentNs = 100'000'000;  // judgement

    // At the begin of each decision: who the members are.
    void meet(Pass& pass);
    // Once the wishes are known: who counts, and who competes.
    void count(Pass& pass);
    // Before the policy is asked, and once it was: members that are suspended because of another device want nothing.
    void begin_asking(Pass& pass);
    void end_asking(Pass& pass);
    // The unit that the core marks as one that may be suspended.
    void mark_preemptible(Pass& pass) const;
    // Applies the policy's urgency (DeviceHistory::ranked): the members' is that of the most urgent.
    static void rank_as_one(Pass& pass);
    // The policy has answered: its votes, and the answers as the gangs have them.
    void answer(Pass& pass);

    // A member has a turn because it starved: all have one.
    void give_turn(Pass& pass, uint32_t at, int64_t until_ns);

    // The device has no units any more; these are the gangs that it had (DeviceHistory::gangs).
    void forget(uint64_t device, std::span<const GangHere> there);
    // Devices that must be decided about because of the last decision; the caller empties it.
    std::vector<uint64_t>& affected() { return affected_; }

private:
    void collect(Pass& pass);
    static void take_place(const Pass& pass, const GangHere& here);
    void find_members(Pass& pass);
    Gang* join(const GangKey& key);
    void leave(Gang& gang, uint64_t device);
    void settle(Gang& gang, int64_t now_ns);
    void vote(Pass& pass, GangHere& here) const;
    Vote vote_of(const Pass& pass, uint32_t at) const;
    static bool keeps_off(const Pass& pass, const GangHere& here);
    static bool is_busy(const Pass& pass, const GangHere& here);
    static void let_run(Pass& pass, const GangHere& here);
    static void lend(Pass& pass, const GangHere& here);
    static void keep_off(Pass& pass, const GangHere& here);
    static void tell_members(Pass& pass, const GangHere& here, const GangPlace& place);

    std::map<GangKey, std::unique_ptr<Gang>> gangs_;
    std::vector<uint64_t> affected_;
};

}  // namespace xsched::sched
