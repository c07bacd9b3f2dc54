// The scheduler core's input about a unit, and its answer, the verdict. A unit is the queues of one process with equal
// priority on one device. Plain data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "policy/policy.h"
#include "sched/facts/candidates.h"
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
// Returns "kLessUrgent" and so on; "" for a reason that this version does not know.
const char* reason_name(Reason reason);

struct UnitState {
    policy::Unit unit;             // `wants` is filled in by the core; ids are unique
    bool ready = false;            // has unfinished work
    bool suspended_by_person = false;
    bool slowed = false;           // while suspended at level 3, its work continues slowly, on a few compute units
    bool stopped = false;          // its process is stopped (SIGSTOP): it cannot use the device for long
    bool keeps_alive = false;      // its process can keep the device through its own pauses with a keep-alive
    int64_t holds_until_ns = 0;  // until when its process holds the device, to the end of a burst or through all of
                                 // it (Verdict); 0: it does not
    uint32_t keep_alive_synchronizes = 0;  // how often the process synchronized while it kept the device
    uint32_t level = 0;  // preempt level that all of its queues have
    uint64_t user = 0;  // the unit's user: gangs consist of one user's units
    uint64_t group = 0;  // equal for units that the hardware can take off the device only together
    uint64_t completed = 0;  // commands seen to complete; a change is progress
    uint64_t copies = 0;  // commands launched that copy memory
    uint64_t copied_bytes = 0;  // bytes of these copies, as far as known
    int64_t measured_ns = 0;  // device time of its queues, each counted by itself: more than busy_ns if they ran side
                              // by side
    int64_t idle_since_ns = 0;  // time of its last change from ready to idle; kept while it is ready again
    int64_t stuck_since_ns = 0;  // since when none of its process's calls inside the driver has returned; 0: there are
                                 // none
    int64_t progress_ns = 0;  // when one of its commands was last seen to complete, or when it became ready
    uint32_t waits_changed = 0;  // changes when the set of processes changes that its process waits for, or that wait
                                 // for its process
    uint32_t context = 0;  // context of one of its queues that has work; 0: none, or unknown
    bool several_contexts = false;  // others of its queues with work are of another context: the hardware lets contexts
                                    // take turns
    Costs costs;  // cost of taking its process off the device
    ProgramHabits* habits = nullptr;  // its process's habits, valid as long as the process has the unit; null: none are
                                      // kept
    bool shares_context() const { return sched::shares_context(level, costs); }
    // Returns the number of what takes a turn among equals (turns.h): the unit's process, or all of its user's programs
    // that share a context, which run side by side in one turn. No process has such a number.
    uint64_t turn_taker() const { return shares_context() ? ~user : unit.process; }

    bool operator==(const UnitState&) const = default;
};

// Returns whether the unit may run at all: not suspended by a person, and not PRIORITY_NO_EXECUTE.
constexpr bool is_eligible(const UnitState& state) {
    return !state.suspended_by_person && state.unit.priority > PRIORITY_NO_EXECUTE;
}

// The mechanism by which a unit is kept off its device, and the settings of its process: timeslice, distance between
// gates, keep-alive and so on. A unit that runs has all of these too, because a timeslice and gates must be in place
// before the unit is suspended.
struct Preemption {
    Mechanism mechanism = Mechanism::kNone;
    Interrupt interrupt = Interrupt::kNone;  // how its running work is treated while it is suspended
    uint32_t timeslice_us = 0;  // timeslice of its process in the hardware; 0: the driver's own
    uint32_t gates_apart_us = 0;  // least device time between two of its gates; 0: as usual
    bool expect_interrupt = false;  // its next suspension may interrupt running work, so its agent polls instead of
                                    // sleeping
    bool on_its_way = false;  // it is suspended but may still be on the device: the unit it makes room for should keep
                              // the device at first
    bool has_victims = false;  // units of other processes may be suspended for its sake
    bool has_peer = false;  // other processes of its priority make room with it, for a more urgent unit
    uint32_t keep_alive_us = 0;  // how long its process keeps the device behind each wait (queued_bursts.h)

    bool operator==(const Preemption&) const = default;
};

struct Verdict {
    uint64_t id = 0;
    bool suspend = false;
    bool preemptible = false;  // a later decision can suspend it to make room for another
    bool watched = false;  // decide again when it becomes ready or idle, because verdicts on its device may change
    bool imminent = false;  // its expected burst begins in a moment: the device may switch to it now
    // Until when its process may keep the device for that burst, although no other unit is suspended; 0: it may not.
    int64_t hold_until_ns = 0;
    bool hold_to_end = false;  // the device is held for a burst under way that ends soon, not for the next burst
    int64_t hold_behind_ns = 0;  // how long to hold behind the burst's first launch; 0: a moment
    // When the next burst of a more urgent unit that copies is foreseen, or when it began; 0: none is foreseen.
    int64_t copy_burst_ns = 0;
    bool suspect = false;  // other units make room for it, and it completes nothing
    bool unbelieved = false;  // it has completed nothing for so long that no unit makes room for it any more (claim.h)
    Reason reason{};  // for a unit that did not change itself, up to kLookAtAllNs old
    uint64_t by = 0;  // id of the unit it makes room for; 0: none
    uint32_t by_at = 0;  // position of that unit among the units given
    int64_t since_ns = 0;  // when the present state began
    policy::Note note;  // the policy's note about it
    Preemption preemption;
    Candidates candidates;  // for that, as last weighed while it was suspended

    // Returns whether the directives of both verdicts are equal except for the explanation.
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
    kHold = 1,  // the process of the expected burst has the device beforehand, if it can keep the device
    kTakeOff = 2,  // and if it cannot, its victims are off the device by then
};

struct Settings {
    int64_t starvation_limit_ns = 1'000'000'000;  // 0: none
    int64_t starvation_turn_ns = 10'000'000;  // least length of a starved unit's turn; one of its commands if that is
                                              // longer
    int64_t anticipation_max_ns = 2'000'000;
    int64_t anticipation_min_ns = 0;
    int64_t claim_limit_ns = 2'000'000'000;  // claim.h; 0: none
    bool precautions = true;  // budget.h
    Foresight foresight = Foresight::kNone;
    uint32_t urgent_timeslice_us = 8'192;  // longest timeslice in the hardware of the most urgent process; 0: the
                                           // driver's own
};

// Returns whether a unit that last worked at `worked_ns` may still have unreported work on the device, such as work
// that the driver does for a call. That is so for the time for which a unit's claim to have work is believed without
// progress (decision 017): long enough for a starting program to load its libraries in between.
inline bool is_lately(int64_t worked_ns, int64_t now_ns) { return now_ns - worked_ns < Settings{}.claim_limit_ns; }
inline bool worked_lately(const UnitState& state, int64_t now_ns) {
    return state.ready || is_lately(std::max(state.progress_ns, state.idle_since_ns), now_ns);
}

// All units of one device. A unit keeps its position for as long as `composition` stays the same.
struct DeviceUnits {
    uint64_t device = 0;
    std::span<const UnitState> units;
    uint64_t composition = 0;  // changes if a unit comes, goes, or changes position, priority, process or `held`; 0:
                               // unknown
    bool all = true;  // true: any unit may differ from what was given last
    std::span<const uint32_t> changed;  // otherwise only the units at these positions differ
    bool look_at_all = false;  // look at all verdicts again, whatever changed
};

struct Plan {
    std::span<const Verdict> verdicts;  // one per unit given, same order
    std::span<const uint32_t> changed;  // positions of verdicts whose directives differ from the last ones
    bool all_changed = false;  // all may
    int64_t wake_at_ns = 0;  // when to decide again even if nothing happens; 0: no need
};

}  // namespace xsched::sched
