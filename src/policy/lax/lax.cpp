// Laxity: see README.md.
#include <algorithm>
#include <vector>

#include "base/time.h"
#include "policy/hpf/largest.h"
#include "policy/policy.h"

namespace xsched::policy {
namespace {

// Returns when the unit's burst becomes critical.
int64_t critical_ns(const Unit& unit) {
    const int64_t laxity_ns = unit.laxity_us * 1000;
    if (unit.deadline_us == 0) return unit.ready_since_ns + laxity_ns;
    return unit.ready_since_ns + unit.deadline_us * 1000 - laxity_ns - unit.command_ns;
}

constexpr uint32_t kHints = bits_of(base::HintId::laxity_us, base::HintId::lax_priority,
                                    base::HintId::critical_priority, base::HintId::deadline_us, base::HintId::priority);

class Lax final : public Policy {
public:
    int64_t choose(std::span<const Unit> units, int64_t now_ns, std::span<Choice> choices) override {
        int64_t again_ns = 0;
        priorities_.resize(units.size());
        for (size_t i = 0; i < units.size(); ++i) {
            const Unit& unit = units[i];
            priorities_[i] = unit.laxity_us == 0 ? unit.priority : unit.lax_priority;
            // A unit without work does not wait, so it cannot be critical.
            if (unit.laxity_us == 0 || !unit.ready) continue;
            const int64_t at_ns = critical_ns(unit);
            if (now_ns >= at_ns)
                priorities_[i] = unit.critical_priority;
            else
                again_ns = base::earlier(again_ns, at_ns);
        }
        run_largest(units, choices, [this](size_t i) { return priorities_[i]; });
        return again_ns;
    }

    bool rank(std::span<const Unit> /*units*/, std::span<int32_t> urgency) const override {
        std::copy_n(priorities_.begin(), std::min(priorities_.size(), urgency.size()), urgency.begin());
        return true;
    }

private:
    std::vector<int32_t> priorities_;  // as of now
};

}  // namespace

XSCHED_POLICY(Lax, "LAX", kPolicyLaxity, kHints,
              "laxity: work that can wait has one priority and, once it cannot, another; then the highest runs",
              "give it a higher critical priority, which counts from its laxity on (xcli hint PID --laxity TIME "
              "--critical-priority NUMBER)");

}  // namespace xsched::policy
