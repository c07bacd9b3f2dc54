// The core's memory of units and devices between two decisions. Not thread-safe. Allocates only when a device's units
// have changed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/nowhere.h"
#include "policy/limits.h"
#include "sched/facts/times.h"
#include "sched/facts/unit.h"
#include "sched/pattern/anticipation.h"
#include "sched/pattern/beside_trial.h"
#include "sched/pattern/budget.h"
#include "sched/pattern/burst_length.h"
#include "sched/pattern/claim.h"
#include "sched/pattern/command_lengths.h"
#include "sched/pattern/copy_share.h"
#include "sched/pattern/expectation.h"
#include "sched/pattern/gang.h"
#include "sched/pattern/hold_trial.h"
#include "sched/pattern/pauses.h"
#include "sched/pattern/period.h"
#include "sched/pattern/queued_bursts.h"
#include "sched/pattern/stall_watchdog.h"
#include "sched/pattern/starvation.h"
#include "sched/state/group.h"
#include "sched/state/ranks.h"
#include "sched/state/rivals.h"

namespace xsched::sched {

using base::kNowhere;

struct UnitHistory {
    UnitHistory(uint64_t unit_id, int64_t now_ns) : id(unit_id), since_ns(now_ns), starvation(now_ns) {}

    uint64_t id;
    uint32_t place = kNowhere;  // among the eligible
    uint32_t group = 0;
    bool suspended = false;  // suspended by the last verdict; since_ns: since when
    bool timed = false;  // its wish for the device may change by itself
    bool claims = false;  // in DeviceHistory::claims
    bool dirty = false;  // judge it again, whatever the policy answers
    bool told = false;  // its verdict is listed among the changed ones
    bool inverted = false;  // it makes room for a unit of its own process, and is judged by that unit's progress
    Gang* gang = nullptr;  // the gang that it is a member of; null: none, or the only member
    int64_t gang_name = 0;
    InGang in_gang = InGang::kAsAnswered;
    bool counts = false;  // its vote counts for its gang
    bool leads = false;  // it alone is the most urgent, as of when its mechanism was last chosen (Rivals::leads)
    bool wanted = false;  // it wants the device, even if the policy was told otherwise
    int64_t since_ns;
    int64_t progress_ns = 0;  // UnitState::progress_ns as given last
    int64_t favoured_ns = 0;  // last
    int64_t several_contexts_ns = 0;  // when it last had work in several contexts; 0: never
    // Returns how long ago it last had work in several contexts; INT64_MAX: never. That counts for a while: the unit
    // may be between two rounds of them, and a changed choice costs a call of 0.4 ms that the victim waits for.
    int64_t contexts_ago_ns(int64_t now_ns) const {
        return several_contexts_ns != 0 ? now_ns - several_contexts_ns : INT64_MAX;
    }
    int64_t turns_had_ns = 0;  // device time that its process has had in turns
    Expected expected;  // the expected burst, if that is all it wants the device for
    int64_t hold_until_ns = 0;  // Verdict::hold_until_ns
    bool hold_to_end = false;
    int64_t hold_behind_ns = 0;
    int64_t copy_burst_ns = 0;  // Verdict::copy_burst_ns
    Starvation starvation;
    Claim claim;
    Expectation expectation;
    Period period;
    Foreseen foreseen;
    HoldTrial hold_trial;
    BesideTrial beside;
    bool was_foreseen = false;  // the burst under way, or the last one, was foreseen; and the device is held through it
    bool held_through = false;
    Anticipation anticipation;
    LongerPause longer_pause;
    Pauses pauses;
    QueuedBursts queued;
    CommandLengths lengths;
    CopyShare copies;
    BurstLength burst_length;

    // Starts from the program's habits. Null: the program never ran before, as far as known.
    void begin_with(const ProgramHabits* habits) {
        if (habits == nullptr) return;
        claim.begin_with(int64_t{habits->last_run.longest_ms} * base::kMillisecond);
        if (!habits->last_run.known()) return;
        anticipation.begin_with(habits->last_run);
        pauses.begin_with(habits->last_run);
    }
    void write_habits(ProgramHabits* habits, int32_t priority) const {
        if (habits == nullptr || priority < habits->now.priority) return;
        const int64_t longest_ms = claim.shown_ns() / base::kMillisecond;
        // A length is kept only if it is long enough to matter: every unit is believed for twice `long_ms` anyway.
        const int64_t long_ms = Settings{}.claim_limit_ns / base::kMillisecond / BurstLength::kTimes;
        habits->now.longest_ms = longest_ms >= long_ms ? static_cast<uint32_t>(longest_ms) : 0;
        if (!pauses.due()) return;
        habits->now.priority = priority;
        anticipation.write(habits->now);
        pauses.write(habits->now);
    }
};

// Costs of a unit as a victim. If it is let in by mistake, a more urgent unit loses `there_ns` and `switch_ns`. Taking
// it off the device takes `off_ns`.
struct Cost {
    int64_t there_ns = 0;
    int64_t switch_ns = 0;
    int64_t off_ns = 0;
    bool operator==(const Cost&) const = default;
};

// The processes, and the largest costs, of all units less urgent than some rank.
struct LessUrgent {
    Processes processes;
    int64_t there_ns = 0;
    Largest there_and_switch_ns;
    int64_t off_ns = 0;

    void add(const LessUrgent& more) {
        processes.add(more.processes);
        there_ns = std::max(there_ns, more.there_ns);
        there_and_switch_ns.add(more.there_and_switch_ns);
        off_ns = std::max(off_ns, more.off_ns);
    }
};

// The unit that has a turn among its equals (favour.h).
struct Favour {
    uint64_t id = 0;  // 0: no unit
    int64_t since_ns = 0;
    int64_t left_ns = 0;  // of the turn
    int64_t has_since_ns = 0;  // 0: a more urgent unit has the device
};

// The process, or the pool, that has a turn among its equals (turns.h).
struct Turn {
    uint64_t taker = 0;  // UnitState::turn_taker; 0: no unit
    int64_t left_ns = 0;  // of the turn
    int64_t has_since_ns = 0;  // 0: a more urgent unit has the device
    int64_t paused_ns = 0;  // since when it has no work; 0: it has work
};

// The part of the core that gave an answer last; the reason of a verdict names it.
enum class By : uint8_t {
    kPolicy,
    kAnnounced,  // a burst is announced but does not need the device yet
    kFavour,  // favour.h
    kTurn,  // turns.h
    kCopies,  // copies_beside.h
    kBeside,  // beside.h
};

struct DeviceHistory {
    uint64_t composition = 0;
    uint64_t policy = 0;  // number of the policy that answered last
    std::vector<UnitHistory> units;  // per position, like the following:
    std::vector<Verdict> verdicts;
    std::vector<std::pair<uint64_t, uint32_t>> by_id;  // sorted

    // The eligible units, about which the policy is asked.
    std::vector<uint32_t> eligible;  // position of each
    std::vector<policy::Unit> asked;
    std::vector<policy::Choice> answers;
    std::vector<By> answered_by;  // which part of the core gave each answer
    std::vector<policy::Choice> answered;  // the time before
    std::ptrdiff_t running = 0;  // how many of them run, by those answers
    std::vector<uint8_t> preemptible;
    uint32_t preemptible_count = 0;
    std::vector<uint8_t> ready;
    std::vector<Cost> costs;
    std::vector<policy::Note> notes;  // the policy's note about each
    bool has_notes = false;
    std::vector<int32_t> ranked;  // urgency of each by the policy (Policy::rank)
    std::vector<int32_t> urgency;  // the same per position, for all units
    Ranks ranks;
    std::vector<LessUrgent> less_urgent;  // by rank
    bool costs_changed = true;
    std::vector<uint32_t> timed;  // units whose wish may change by itself
    // Units that have the device, whose claims expire if they complete nothing. No claim expires before claims_due_ns:
    // until then the list is not looked at, however long it is.
    std::vector<uint32_t> claims;
    int64_t claims_due_ns = 0;
    std::vector<std::pair<uint64_t, Expected>> expected;  // ids of units that announced a burst, sorted

    Favour favour;
    Turn turn;
    Budget budget;
    bool watched = false;
    uint32_t limited = 0;  // eligible units that have a limit
    policy::Limits limits;
    bool tells_copies = false;  // some unit's copy_burst_ns is not 0
    bool serves = false;  // the last answer lets some unit that wants the device have it
    StallWatchdog watchdog{};
    int64_t due_ns = 0;  // when a verdict may change although no unit does; 0: never
    int64_t looked_at_all_ns = 0;
    int64_t decided_ns = 0;
    std::vector<uint32_t> changed;

    std::vector<GangMember> gang_members;  // sorted by gang
    std::vector<GangHere> gangs;  // gangs with a unit on this device

    // The groups of the device and their members, for the choice of mechanisms (mechanism_chooser.h).
    std::vector<Group> groups;  // sorted by id
    std::vector<uint32_t> members;  // positions of units, sorted by group
    std::vector<uint32_t> dirty_groups;
    std::vector<uint32_t> late;  // groups whose running work may be late (Group::late_ns)
    std::vector<Usage> usages;  // by position
    Rivals rivals;
    bool rivals_changed = true;  // a unit has changed since the rivals were summed up

    // Marks the ranks as outdated: some unit's urgency has changed.
    void rank_anew() {
        ranks.build(eligible.size(), [this](size_t place) { return urgency[eligible[place]]; });
        less_urgent.resize(ranks.count());
        costs_changed = rivals_changed = true;
    }
    void mark_group(uint32_t at) { mark_group_at(units[at].group); }
    void mark_group_at(uint32_t index) {
        if (!std::exchange(groups[index].dirty, true)) dirty_groups.push_back(index);
    }
    void forget_changed() {
        for (const uint32_t at : changed)
            if (at < units.size()) units[at].told = false;
        changed.clear();
    }
    void claim_until(uint32_t place, int64_t at_ns) {
        claims_due_ns = claims_due_ns == 0 ? at_ns : std::min(claims_due_ns, at_ns);
        if (!std::exchange(units[eligible[place]].claims, true)) claims.push_back(place);
    }
    void claims_no_more(uint32_t place) {
        if (!std::exchange(units[eligible[place]].claims, false)) return;
        std::erase(claims, place);
        if (claims.empty()) claims_due_ns = 0;
    }
    // Makes the core look at all claims again.
    void settle_claims() {
        for (const uint32_t place : claims) {
            UnitHistory& unit = units[eligible[place]];
            unit.claims = false;
            if (!std::exchange(unit.timed, true)) timed.push_back(place);
        }
        claims.clear();
        claims_due_ns = 0;
    }
    void note_changed(uint32_t at) {
        if (!std::exchange(units[at].told, true)) changed.push_back(at);
    }
    // Replaces the answer for one unit, by one of the stages behind the policy.
    void answer(uint32_t place, By by, const policy::Choice& choice) {
        answers[place] = choice;
        answered_by[place] = by;
    }
    // Returns the position of a unit of this device, or kNowhere.
    uint32_t find(uint64_t id) const;
};

class History {
public:
    // Returns the device's history with units[i] for given.units[i]; forgets units that are no longer given. `changed`:
    // set if the units differ from the last ones.
    DeviceHistory& follow(const DeviceUnits& given, int64_t now_ns, bool* changed);
    void forget(uint64_t device) { devices_.erase(device); }
    std::unordered_map<uint64_t, DeviceHistory>& devices() { return devices_; }

private:
    std::unordered_map<uint64_t, DeviceHistory> devices_;
};

}  // namespace xsched::sched
