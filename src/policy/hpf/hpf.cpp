// Highest priority first: see README.md.
#include "policy/policy.h"

namespace xsched::policy {
namespace {

// Of equals the oldest, whatever their order: others should not make room for another one each time.
bool is_before(const Unit& unit, const Unit& other) {
    return unit.priority != other.priority ? unit.priority > other.priority : unit.id < other.id;
}

class Hpf final : public Policy {
public:
    int64_t choose(std::span<const Unit> units, int64_t /*now_ns*/, std::span<Choice> choices) override {
        const Unit* top = nullptr;
        for (const Unit& unit : units) {
            if (unit.wants && (top == nullptr || is_before(unit, *top))) top = &unit;
        }
        if (top == nullptr) return 0;
        for (size_t i = 0; i < units.size(); ++i) {
            if (units[i].priority < top->priority) choices[i] = {.run = false, .by = top->id};
        }
        return 0;
    }

    void mark_preemptible(std::span<const Unit> units, std::span<uint8_t> marks) const override {
        int32_t most = PRIORITY_NO_EXECUTE;
        for (const Unit& unit : units) most = std::max(most, unit.priority);
        for (size_t i = 0; i < units.size(); ++i) marks[i] = units[i].priority < most ? 1 : 0;
    }
};

}  // namespace

XSCHED_POLICY(Hpf, "HPF", kPolicyHighestPriorityFirst,
              "highest priority first: on each device the most urgent unit with work runs, equals run together");

}  // namespace xsched::policy
