// AUTO: see README.md.
#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time.h"
#include "policy/auto/habits.h"
#include "policy/auto/target.h"
#include "policy/policy.h"
#include "policy/up/partition.h"

namespace xsched::policy {
namespace {

// Most credit that returning programs have together; each gets this divided by the number of programs that want the
// device. So a waiting program loses at most this much of its share in a second to all of them.
constexpr int64_t kSavedNs = 200'000'000;
// A burst goes before another program's burst only if it is shorter by at least this factor.
constexpr int64_t kMuchShorter = 4;

// AUTO's knowledge of one program.
struct Known {
    uint64_t id = 0;
    Habits habits;
    bool alone = false;  // no other program has wanted the device since its burst began
    bool due = false;    // its target needs the device until the burst is over
    bool spent = false;  // it would go first, but the others have had less time
    std::unique_ptr<Target> target;  // for programs that have had a target
};

// The flags in Device::marks: the program has work; its bursts are brief. They are kept apart from the other facts
// since they are read for every program in each decision.
constexpr uint8_t kWorks = 1;
constexpr uint8_t kBrief = 2;

struct Device {
    std::vector<Known> known;  // in the order of the programs, as are
    std::vector<uint8_t> marks;
    int64_t wanting = 0;  // number of programs that want the device
    int64_t decided_ns = 0;           // time of the last decision, since when
    size_t current = Rules::kNobody;  // the program at this place has had the device,
    bool open = true;                 // or all that wanted it
};

class AutoRules final : public Rules {
public:
    Programs::By by() const override { return Programs::By::kProcess; }
    int64_t unit() const override { return 1; }
    int64_t idle_share() const override { return 1; }
    void weigh(std::span<const Program> programs, std::span<Weight> weights) const override {
        (void)programs;
        (void)weights;  // all alike
    }
    int64_t saved_ns(const Program& /*program*/) const override {
        return kSavedNs / std::max<int64_t>(device_->wanting, 2);
    }

    bool has_first() const override { return true; }
    size_t first(std::span<const Program> programs, const Standing& standing, std::span<uint8_t> can_wait,
                 int64_t now_ns, int64_t& again_ns) override {
        size_t first = kNobody;
        for (size_t i = 0; i < programs.size(); ++i) {
            if (!programs[i].wants) continue;
            Known& known = device_->known[i];
            const bool target = has_target(programs[i], known);
            known.due = known.due && target;
            if (!target && (device_->marks[i] & kBrief) == 0) continue;
            if (!goes_first(programs[i], known, standing.is_behind(i), now_ns, again_ns)) {
                // The program's turn is not due yet: the running program goes on, which saves a switch.
                can_wait[i] = target && i != device_->current ? 1 : 0;
                continue;
            }
            if (first == kNobody || is_before(i, first)) first = i;
        }
        return first;
    }
    void decided(size_t current) override {
        device_->current = current;
        device_->open = current == kNobody;
    }

    // Selects the device that the next calls are about, with all that has happened there since the last decision.
    void enter(uint64_t id) { device_ = &devices_[id]; }
    void see(std::span<const Program> programs, bool renewed, int64_t now_ns) override {
        if (renewed) renew(programs);
        look(programs, now_ns);
    }
    void forget(uint64_t id) { devices_.erase(id); }
    const Device* find(uint64_t id) const {
        const auto found = devices_.find(id);
        return found != devices_.end() ? &found->second : nullptr;
    }

private:
    static uint8_t marks_of(const Known& known) {
        return (known.habits.has_work() ? kWorks : 0) | (known.habits.is_brief() ? kBrief : 0);
    }
    void renew(std::span<const Program> programs);
    void look(std::span<const Program> programs, int64_t now_ns);
    static bool has_target(const Program& program, Known& known);
    static bool goes_first(const Program& program, Known& known, bool behind, int64_t now_ns, int64_t& again_ns);
    bool is_before(size_t a, size_t b) const;

    std::unordered_map<uint64_t, Device> devices_;
    Device* device_ = nullptr;
};

// Replaces the list of known programs by the present ones, in their order. Keeps the facts about each that remains.
void AutoRules::renew(std::span<const Program> programs) {
    std::vector<Known>& known = device_->known;
    const uint64_t current = device_->current < known.size() ? known[device_->current].id : 0;
    std::vector<Known> before = std::move(known);
    const auto by_id = [](const Known& a, const Known& b) { return a.id < b.id; };
    std::sort(before.begin(), before.end(), by_id);
    known.clear();
    device_->current = kNobody;
    for (size_t i = 0; i < programs.size(); ++i) {
        Known fresh;
        fresh.id = programs[i].id;
        const auto found = std::lower_bound(before.begin(), before.end(), fresh, by_id);
        known.push_back(std::move(found != before.end() && found->id == fresh.id ? *found : fresh));
        if (known.back().id == current) device_->current = i;
    }
    device_->marks.clear();
    for (const Known& one : known) device_->marks.push_back(marks_of(one));
}

// Takes in everything that has happened since the last decision.
void AutoRules::look(std::span<const Program> programs, int64_t now_ns) {
    const int64_t passed_ns = now_ns - std::exchange(device_->decided_ns, now_ns);
    int64_t wanting = 0;
    for (size_t i = 0; i < programs.size(); ++i) {
        wanting += programs[i].wants ? 1 : 0;
        const bool ran = device_->open || i == device_->current;
        if (!ran && programs[i].ready == ((device_->marks[i] & kWorks) != 0)) continue;
        Known& known = device_->known[i];
        const uint32_t bursts = known.habits.bursts();
        const bool was_idle = !known.habits.has_work();
        known.habits.see(programs[i], ran ? passed_ns : 0, now_ns);
        if (known.habits.bursts() != bursts) {
            if (known.target != nullptr) known.target->note(known.habits, known.alone);
            known.alone = known.due = false;
        }
        if (was_idle && known.habits.has_work() && known.habits.ran_ns() == 0) known.alone = true;
        known.alone = known.alone && device_->wanting <= 1;
        device_->marks[i] = marks_of(known);
    }
    device_->wanting = wanting;
}

// Returns whether the program has a target that counts. A target that cannot be met counts as none, so no program gains
// by asking for it. A target does not count, either, before the length of bursts is known, or once the program has had
// the device for longer than its target.
bool AutoRules::has_target(const Program& program, Known& known) {
    if (program.slo_p99 == 0) return false;
    if (known.target == nullptr) known.target = std::make_unique<Target>();
    return known.target->can_be_met(program.slo_p99, known.habits.ran_ns());
}

// Returns whether the program goes first. With a target, the target alone decides. Without one, the program's bursts
// must be brief, and it must have had no more time than the others (`behind`).
bool AutoRules::goes_first(const Program& program, Known& known, bool behind, int64_t now_ns, int64_t& again_ns) {
    if (!has_target(program, known)) {
        known.spent = !behind;
        return behind;
    }
    const int64_t late_ns = now_ns + known.target->ns(program.slo_p99) - known.habits.ran_ns() + 1;
    if (known.due)
        again_ns = base::earlier(again_ns, late_ns);  // after that time it counts as a program without a
                                                      // target
    if (known.due || !known.habits.has_work()) return known.due;
    const int64_t at_ns = known.target->needs_device_ns(known.habits, program.slo_p99, now_ns);
    known.due = now_ns >= at_ns;
    if (!known.due) again_ns = base::earlier(again_ns, at_ns);
    return known.due;
}

// Orders programs: first those that need the device now to meet their target; then those with work; then those with
// shorter bursts. The bursts of the program that has the device count as longer only if they are kMuchShorter times as
// long as the other's.
bool AutoRules::is_before(size_t a, size_t b) const {
    const Known& one = device_->known[a];
    const Known& other = device_->known[b];
    if (one.due != other.due) return one.due;
    if (one.habits.has_work() != other.habits.has_work()) return one.habits.has_work();
    const int64_t factor_one = a == device_->current ? 1 : kMuchShorter;
    const int64_t factor_other = b == device_->current ? 1 : kMuchShorter;
    return one.habits.burst_ns() * factor_one < other.habits.burst_ns() * factor_other;
}

class Auto final : public Policy {
public:
    int64_t choose(std::span<const Unit> units, int64_t now_ns, std::span<Choice> choices) override {
        if (units.empty()) return 0;
        rules_.enter(units[0].device);
        return partition_.choose(units, now_ns, choices);
    }
    void forget(uint64_t device) override {
        partition_.forget(device);
        rules_.forget(device);
    }
    bool hand_over(std::vector<Ahead>& accounts) const override { return partition_.hand_over(accounts); }
    void take_over(std::span<const Ahead> accounts) override { partition_.take_over(accounts); }

    // Ranks units that may go first above all other units: the device is kept for them through short pauses, and units
    // ranked below are made ready to leave quickly.
    bool rank(std::span<const Unit> units, std::span<int32_t> urgency) const override {
        each(units, [&](size_t i, const Known& known) {
            const bool target =
                known.target != nullptr && units[i].slo_p99 != 0 && known.target->can_be_met(units[i].slo_p99, 0);
            urgency[i] = target ? 2 : known.habits.is_brief() ? 1 : 0;
        });
        return true;
    }

    bool tell(std::span<const Unit> units, std::span<Note> notes) const override {
        each(units, [&](size_t i, const Known& known) { notes[i] = note_of(units[i], known); });
        return true;
    }

private:
    // Calls act(i, known) for the unit at each place i of those given.
    template <typename Do>
    void each(std::span<const Unit> units, Do act) const {
        const Device* device = units.empty() ? nullptr : rules_.find(units[0].device);
        const Programs* programs = device != nullptr ? partition_.programs(units[0].device) : nullptr;
        if (programs == nullptr) return;
        for (size_t i = 0; i < units.size(); ++i) act(i, device->known[programs->of(i)]);
    }

    static Note note_of(const Unit& unit, const Known& known) {
        const Habits& habits = known.habits;
        if (unit.slo_p99 != 0 && known.target != nullptr && known.target->is_known()) {
            const Target& target = *known.target;
            const int64_t target_ns = target.ns(unit.slo_p99);
            if (target.is_impossible(target_ns))
                return {.code = NoteCode::kOffTarget, .first = target.best_ns() / 1000, .second = target_ns / 1000};
            return {.code = target.had_ns() <= target_ns ? NoteCode::kOnTarget : NoteCode::kPastTarget,
                    .first = target.had_ns() / 1000,
                    .second = target_ns / 1000};
        }
        // Without enough of its own time, the part that bursts fill is not known, nor the length of a first burst.
        if (habits.is_known() && !habits.is_load_known()) return {};
        if (!habits.is_known() && (unit.slo_p99 != 0 || habits.load_percent() < 90 || !habits.is_load_known()))
            return {.code = NoteCode::kNotKnown, .first = habits.bursts(), .second = Habits::kEnough};
        NoteCode code = NoteCode::kSteady;
        if (habits.is_brief()) code = known.spent ? NoteCode::kSpent : NoteCode::kBrief;
        const int64_t burst_ns = habits.is_known() ? habits.burst_ns() : habits.ran_ns();
        return {.code = code, .first = burst_ns / 1000, .second = habits.load_percent()};
    }

    AutoRules rules_;
    Partition partition_{rules_};
};

}  // namespace

XSCHED_POLICY(
    Auto, "AUTO", kPolicyUnknown, bits_of(base::HintId::slo_p99),
    "learns which programs work in brief bursts and lets those go first, with equal shares; latency targets instead of "
    "priorities",
    "say how long its bursts may take (xcli hint PID --slo-p99 2x: twice what they take alone)");

}  // namespace xsched::policy
