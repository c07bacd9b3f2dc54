// The scheduler core: queue states in, directives out. Pure: time comes in as an argument; no clock, thread, IPC or
// environment. The same code runs in xserver, in the local scheduler and in the simulator. Not thread-safe: one
// caller at a time.
//
// On top of the policy it does what every policy needs:
//  - grace: a unit that becomes idle keeps the device for a moment learned from its own gaps and from what a wrong
//    reopening would cost (the victim's command length), so that a program which synchronizes every few kernels
//    does not let the victim in at each gap (grace.h);
//  - announced bursts: those who would be in the way are suspended just long enough before one begins that the device
//    is free by then, and go on if it does not come (expectation.h);
//  - starvation limit: a unit with work that has been kept off for longer than the limit gets a turn, beside those
//    that the policy chose (starvation.h);
//  - priority inversion: a call of the urgent unit may stand in the driver, for work of a unit of its own process that
//    stands (a kernel's first launch waits for all of a context), or for a lock that another such call holds: when calls
//    stand there and the urgent unit gets no further, the other one gets a turn; and a little later also where none
//    stands, since not every order between streams can be seen (a value that one writes and the other waits for);
//  - suspended by a person (xcli suspend) and PRIORITY_NO_EXECUTE: always off, and the policy never sees them;
//  - a policy that lets nobody with work run is thrown out and replaced by HPF (guard.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "policy/policy.h"

namespace xsched::sched {

// Sentences in reason.def; the numbers go through shared memory.
enum class Reason : uint32_t {
#define XSCHED_REASON(name, number, sentence) name = number,
#include "sched/reason.def"
#undef XSCHED_REASON
};
const char* reason_sentence(Reason reason);

struct UnitState {
    policy::Unit unit;             // `wants` is filled in by the core; ids are unique
    bool ready = false;            // has unfinished work
    int64_t idle_since_ns = 0;     // of its last ready -> idle change; kept while it is ready again
    bool held = false;             // suspended by a person
    int64_t stuck_since_ns = 0;    // since when no call that its process has in the driver has returned; 0: none there
    int64_t progress_ns = 0;       // when something of it was last seen to complete, or it became ready
    int64_t expect_ns = 0;         // when its next burst begins, as announced; 0: nobody said
    int64_t period_ns = 0;         // from the begin of a burst to that of the next one; 0: none
    bool lingers = false;          // its process can keep the device while it waits for work, and until it launches more
    uint32_t waits = 0;            // how often that did wait
    int64_t off_ns = 0;            // from its suspension until nothing of it runs on the device, at most usually
    int64_t switch_ns = 0;         // from another process's work to its own in the hardware
};

struct Verdict {
    uint64_t id = 0;
    bool suspend = false;
    Reason reason{};
    uint64_t by = 0;            // the unit it makes room for, 0: none
    bool changed = false;       // against the previous verdict for this id
    bool contended = false;     // other units use its device
    bool preemptible = false;   // a later decision can suspend it to make room for another
    bool watched = false;       // decide again when it becomes ready or idle: verdicts of its device may change
    bool imminent = false;      // its announced burst begins in a moment: the device may be made ready for it
    int64_t since_ns = 0;       // when the present state began
    int64_t delay_ns = 0;       // how long it was kept off while it had work: if suspended so far, if just resumed
                                // in all
};

struct Settings {
    int64_t starvation_limit_ns = 1'000'000'000;  // 0: none
    int64_t starvation_turn_ns = 10'000'000;      // at least; one command of the starved unit if that is longer
    int64_t grace_max_ns = 2'000'000;
    int64_t grace_min_ns = 0;
};

struct Plan {
    std::vector<Verdict> verdicts;  // one per unit given, same order
    int64_t wake_at_ns = 0;         // decide again then even if nothing happens; 0: no need
};

class Core {
public:
    // A null policy means HPF.
    explicit Core(std::unique_ptr<policy::Policy> policy, Settings settings = {});
    ~Core();
    Core(Core&&) noexcept;
    Core& operator=(Core&&) noexcept;

    // Units that are not given any more are forgotten. The plan is valid until the next call. A time before the last
    // call's counts as that.
    const Plan& decide(std::span<const UnitState> units, int64_t now_ns);

    // Hints and histories are kept.
    void set_policy(std::unique_ptr<policy::Policy> policy);
    const char* policy_name() const;
    // The policy that was replaced by HPF because it let nobody with work run; nullptr: none since set_policy.
    const char* thrown_out() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace xsched::sched
