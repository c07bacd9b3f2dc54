// Active window first: see README.md.
#include <algorithm>
#include <vector>

#include "policy/hpf/largest.h"
#include "policy/policy.h"

namespace xsched::policy {
namespace {

class Awf final : public Policy {
public:
    int64_t choose(std::span<const Unit> units, int64_t /*now_ns*/, std::span<Choice> choices) override {
        active_.clear();
        for (const Unit& unit : units)
            if (unit.window != 0) active_.push_back(unit.process);
        if (active_.empty()) return 0;
        std::sort(active_.begin(), active_.end());
        run_largest(units, choices,
                    [&](size_t i) { return std::binary_search(active_.begin(), active_.end(), units[i].process); });
        return 0;
    }

private:
    std::vector<uint64_t> active_;  // processes that have an active window
};

}  // namespace

XSCHED_POLICY(Awf, "AWF", kPolicyActiveWindowFirst,
              "active window first: while the program that one works with has work, only it runs on its devices");

}  // namespace xsched::policy
