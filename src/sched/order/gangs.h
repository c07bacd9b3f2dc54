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
    // Most gangs of one user, and most devices of one gang. Members of further gangs, or on further devices, run as if
    // in no gang.
    static constexpr uint32_t kMostOfUser = 64;

    // Finds the members. Call at the begin of each decision.
    void meet(Pass& pass);
    // Decides which members count and which units compete with them. Call once it is known which units want the device.
    void count(Pass& pass);
    // Hides the wish of members that are suspended because of another device, from before the policy is asked until it
    // has answered.
    void begin_asking(Pass& pass);
    void end_asking(Pass& pass);
    // Marks as preemptible the members that may be suspended with their gang.
    void mark_preemptible(Pass& pass) const;
    // Gives all members of a gang the urgency of their most urgent one (DeviceHistory::ranked).
    static void rank_as_one(Pass& pass);
    // Takes the policy's answers as votes, and replaces them by the gangs' decisions.
    void answer(Pass& pass);

    // Gives a starved member's turn to all members of its gang.
    void give_turn(Pass& pass, uint32_t at, int64_t until_ns);

    // Forgets a device that has no units any more. `there`: the gangs that it had (DeviceHistory::gangs).
    void forget(uint64_t device, std::span<const GangHere> there);
    // Returns the devices that must be decided again because of the last decision; the caller empties the list.
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
