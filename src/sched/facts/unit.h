// The scheduler core's input about a unit, and its answer. Plain data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "policy/policy.h"
#include "sched/facts/costs.h"
#include "sched/facts/habits.h"
#include "sched/facts/mechanism.h"

namespace xsched::sched {

// Sentences in reason.def; the numbers go through shared memory.
enum class Reason : uint32_t {
#define XSCHED_REASON(name, number, sentence) name = number,
#include "sched/facts/reason.def"
#undef XSCHED_REASON
};
const char* reason_sentence(Reason reason);
// "kLessUrgent"; "": this version does not know it.
const char* reason_name(Reason reason);

struct UnitState {
    policy::Unit unit;             // `wants` is filled in by the core; ids are unique
    bool ready = false;            // has unfinished work
    bool suspended_by_person = false;
    bool slowed = false;           // what level 3 leaves it: it goes on, on few compute units
    bool stopped = false;          // its process is stopped (SIGSTOP): it cannot use the device for long
    bool keeps_alive = false;      // its process can keep the device through its own pauses
    int64_t holds_until_ns = 0;    // and does so until then, to the end of a burst or through all of it (Verdict)
    uint32_t keep_alive_synchronizes = 0;  // how often that synchronized
    uint32_t level = 0;            // preempt level that all of its queues have
    uint64_t user = 0;             // whose it is: gangs are a user's own
    uint64_t group = 0;            // equal for units that the hardware can take off the device only together
    uint64_t completed = 0;        // commands seen to complete; a change is progress
    uint64_t copies = 0;  // commands launched that copy memory
    uint64_t copied_bytes = 0;  // theirs, as far as is known
    int64_t measured_ns = 0;  // what its queues had of the device, each by itself: more than busy_ns, if side by side
    int64_t idle_since_ns = 0;  // of its last ready -> idle change; kept while it is ready again
    int64_t stuck_since_ns = 0;  // since when no call that its process has in the driver has returned; 0: none there
    int64_t progress_ns = 0;  // when something of it was last seen to complete, or it became ready
    uint32_t waits_changed = 0;  // another number when its process waits for others, or others for it, than before
    uint32_t context = 0;  // that one of its queues with work is of; 0: none, or not known
    bool several_contexts = false;  // others with work are of another one: the hardware has them take turns
    Costs costs;  // of taking its process off the device
    ProgramHabits* habits = nullptr;  // of its process, for as long as it has the unit; null: nobody keeps them

    bool operator==(const UnitState&) const = default;
};

// A unit that completed a command so shortly before may have work on the device that is not reported: the driver's, for
// a call. A program that starts loads its libraries in between.
inline constexpr int64_t kLatelyNs = 2'000'000'000;  // decision 017
inline bool worked_lately(const UnitState& state, int64_t now_ns) {
    return state.ready || now_ns - std::max(state.progress_ns, state.idle_since_ns) < kLatelyNs;
}

// Not suspended by a person, and not PRIORITY_NO_EXECUTE.
constexpr bool is_eligible(const UnitState& state) {
    return !state.suspended_by_person && state.unit.priority > PRIORITY_NO_EXECUTE;
}

// By which mechanism a unit is kept off its device, or would be.
struct Preemption {
    Mechanism mechanism = Mechanism::kNone;
    Interrupt interrupt = Interrupt::kNone;  // what becomes of what runs, while it is suspended
    uint32_t timeslice_us = 0;  // of its process in the hardware; 0: the driver's own
    uint32_t gates_apart_us = 0;  // its gates stand at least so far apart; 0: as usual
    bool expect_interrupt = false;  // a suspension may interrupt what runs: its agent looks instead of sleeping
    bool on_its_way = false;  // while it is suspended: whoever it makes room for should keep the device at first
    bool has_victims = false;  // units of other processes may be suspended for its sake
    bool has_peer = false;  // processes of its priority make room with it, for a more urgent one
    uint32_t keep_alive_us = 0;  // its process keeps the device for so long behind each wait (queued_bursts.h)

    bool operator==(const Preemption&) const = default;
};

struct Verdict {
    uint64_t id = 0;
    bool suspend = false;
    bool preemptible = false;  // a later decision can suspend it to make room for another
    bool watched = false;  // decide again when it becomes ready or idle: verdicts of its device may change
    bool imminent = false;  // its expected burst begins in a moment: the device may be made ready for it
    // And its process may keep the device for it until then, with nobody suspended; 0: it may not.
    int64_t hold_until_ns = 0;
    bool hold_to_end = false;  // the device is held for a burst that is under way and ends soon, not for the next one
    int64_t hold_behind_ns = 0;  // and so long behind the first launch; 0: for a moment
    // When the next burst is foreseen, or began, of a more urgent unit that copies in it; 0: none is.
    int64_t copy_burst_ns = 0;
    bool suspect = false;  // others make room for it, and it completes nothing
    bool unbelieved = false;  // it has completed nothing for so long that nobody makes room for it (claim.h)
    Reason reason{};  // of a unit that did not change itself: up to kLookAtAllNs old
    uint64_t by = 0;  // the unit it makes room for, 0: none
    uint32_t by_at = 0;  // its position among the units given
    int64_t since_ns = 0;  // when the present state began
    policy::Note note;  // what the policy says of it
    Preemption preemption;

    // Whether a directive written for `other` has to be written anew.
    bool directs_as(const Verdict& other) const {
        return suspend == other.suspend && by == other.by && preemptible == other.preemptible &&
               watched == other.watched && imminent == other.imminent && hold_until_ns == other.hold_until_ns &&
               hold_to_end == other.hold_to_end && hold_behind_ns == other.hold_behind_ns &&
               copy_burst_ns == other.copy_burst_ns && suspect == other.suspect && unbelieved == other.unbelieved &&
               preemption == other.preemption;
    }
};

// The preparations for bursts that are foreseen (foreseen.h).
enum class Foresight : uint32_t {
    kNone = 0,
    kHold = 1,  // the process that expects one has the device beforehand, where it can keep the device
    kTakeOff = 2,  // and elsewhere the others are off the device by then
};

struct Settings {
    int64_t starvation_limit_ns = 1'000'000'000;  // 0: none
    int64_t starvation_turn_ns = 10'000'000;  // at least; one command of the starved unit if that is longer
    int64_t anticipation_max_ns = 2'000'000;
    int64_t anticipation_min_ns = 0;
    int64_t claim_limit_ns = 2'000'000'000;  // claim.h; 0: none
    bool precautions = true;  // budget.h
    Foresight foresight = Foresight::kNone;
    uint32_t urgent_timeslice_us = 8'192;  // in the hardware, of the most urgent process, at most; 0: the driver's own
};

// All units of one device. A unit keeps its position for as long as `composition` stays the same.
struct DeviceUnits {
    uint64_t device = 0;
    std::span<const UnitState> units;
    uint64_t composition = 0;  // another number: units came or went, or one changed position, priority, process
                               // or `held`; 0: not known
    bool all = true;  // any of them may differ from what was given last, else
    std::span<const uint32_t> changed;  // those at these positions alone
    bool look_at_all = false;  // all verdicts must be looked at, whatever changed
};

struct Plan {
    std::span<const Verdict> verdicts;  // one per unit given, same order
    std::span<const uint32_t> changed;  // positions of verdicts that direct otherwise than the last ones
    bool all_changed = false;  // all may
    int64_t wake_at_ns = 0;  // decide again then even if nothing happens; 0: no need
};

}  // namespace xsched::sched
