// Everybody runs, and is counted: see README.md.
#include <algorithm>

#include "policy/policy.h"

namespace xsched::policy {
namespace {

class Observe final : public Policy {
public:
    int64_t choose(std::span<const Unit> /*units*/, int64_t /*now_ns*/, std::span<Choice> /*choices*/) override {
        return 0;
    }
    // No unit keeps little in flight for the sake of another one, and nothing is made ready for any.
    void mark_preemptible(std::span<const Unit> /*units*/, std::span<uint8_t> /*marks*/) const override {}
    bool rank(std::span<const Unit> /*units*/, std::span<int32_t> urgency) const override {
        std::fill(urgency.begin(), urgency.end(), 0);
        return true;
    }
    uint32_t hints() const override { return 0; }
    // It weighs nothing; but so a program alone on its device is followed as well.
    bool spans_devices() const override { return true; }
};

}  // namespace

XSCHED_POLICY(Observe, "OBSERVE", kPolicyUnknown,
              "nobody is held: programs share the device as without XSched, and are counted even when alone");

}  // namespace xsched::policy
