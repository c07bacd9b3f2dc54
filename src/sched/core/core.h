// The scheduler core: the states of units come in, verdicts go out. A unit is the queues of one process with equal
// priority on one device; a verdict says whether it is suspended, why, and by which mechanism. Pure: time comes in as
// an argument; no clock, thread, IPC or environment. The same code runs in xserver and in the local scheduler. Not
// thread-safe: one caller at a time.
//
// It decides device by device. A decision costs what changed, and a comparison per unit of the device.
//
// On top of the policy it does what every policy needs:
//  - anticipation: a unit that becomes idle keeps the device for a moment. How long is learned from its own think times
//    and from what it would cost to let a victim in too early. So a program that synchronizes every few kernels does
//    not let the victim in each time (anticipation.h);
//  - announced bursts: units in the way are suspended just early enough that the device is free when the burst begins.
//    They go on if the burst does not come (expectation.h);
//  - claims: a unit that has the device and completes nothing is not believed for ever (claim.h);
//  - starvation limit: a unit with work that has been kept off for longer than the limit gets a turn, beside those
//    that the policy chose (starvation.h);
//  - priority inversion: a call of the urgent unit may wait in the driver for work of a suspended unit of its own
//    process. It may also wait for a lock that another such call holds. (A kernel's first launch waits for all work of
//    a context.) When calls wait there and the urgent unit completes nothing, the other unit gets a turn. Without such
//    calls the other unit gets one a little later. Not every order between streams can be seen: one may write a value
//    that the other waits for;
//  - a policy that spans devices (policy/policy.h): all devices are decided again when its answers elsewhere may have
//  changed;
//  - waits across processes: a unit that others wait for through shared events runs when they do (waits.h);
//  - gangs: units of several devices that run and stop together, whatever the policy (gang.h);
//  - suspended by a person (xcli suspend) and PRIORITY_NO_EXECUTE: always off, and the policy never sees them;
//  - a policy that lets no unit with work run is thrown out and replaced by HPF (stall_watchdog.h).
//
// Then it chooses by which mechanism the suspended units are kept off (mechanism_chooser.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sched/facts/unit.h"
#include "sched/order/waits.h"

namespace xsched::sched {

class Core {
public:
    // Makes the core with a policy; null: HPF.
    explicit Core(std::unique_ptr<policy::Policy> policy, Settings settings = {});
    ~Core();
    Core(Core&&) noexcept;
    Core& operator=(Core&&) noexcept;

    // Decides about one device. Units that are no longer given are forgotten. The plan is valid until the next call for
    // this device. A time before the last call's counts as the last call's.
    Plan decide(const DeviceUnits& given, int64_t now_ns);
    // Returns the devices that must be decided again, with all verdicts, because of a decision about another device:
    // their units are in gangs (gang.h). The caller empties the list.
    std::vector<uint64_t>& affected();
    // Returns which processes wait for which. A caller that changes it also changes `waits_changed` of the units
    // concerned.
    Waits& waits();
    // Forgets a device that has no units any more.
    void forget(uint64_t device);

    // Replaces the policy; hints and histories are kept.
    void set_policy(std::unique_ptr<policy::Policy> policy);
    const char* policy_name() const;
    // Returns a number that differs after each change of policy: every device must then be decided again.
    uint64_t policy_number() const;
    // Returns which facts about units the policy needs.
    policy::Fact needs() const;
    // accounts() returns the accounts on which shares rest, for the core that follows this one. take_over() takes the
    // accounts of the core before this one.
    const std::vector<policy::Ahead>& accounts();
    void take_over(std::span<const policy::Ahead> accounts);
    // Returns the name of the policy that was replaced by HPF because it let no unit with work run, or broke its
    // contract (Policy::breach); nullptr if none was since set_policy.
    const char* thrown_out() const;
    const char* why_thrown_out() const;  // for example "let no unit with work run for a second"

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace xsched::sched
