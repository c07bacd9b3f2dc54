// Highest priority first: see README.md.
#include "policy/policy.h"

namespace xsched::policy {
namespace {

class Hpf final : public Policy {
public:
    const char* name() const override { return "HPF"; }

    int64_t choose(std::span<const Unit> units, int64_t /*now_ns*/, std::span<Choice> choices) override {
        const Unit* top = nullptr;
        for (const Unit& unit : units) {
            if (unit.wants && (top == nullptr || unit.priority > top->priority)) top = &unit;
        }
        if (top == nullptr) return 0;
        for (size_t i = 0; i < units.size(); ++i) {
            if (units[i].priority < top->priority) choices[i] = {.run = false, .by = top->id};
        }
        return 0;
    }

    bool may_suspend(std::span<const Unit> units, const Unit& unit) const override {
        for (const Unit& other : units) {
            if (other.priority > unit.priority) return true;
        }
        return false;
    }
};

}  // namespace

XSCHED_POLICY(Hpf, "HPF", kPolicyHighestPriorityFirst,
              "highest priority first: on each device the most urgent unit with work runs, equals run together");

}  // namespace xsched::policy
