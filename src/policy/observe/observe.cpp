// Lets all units run, and counts what they do: see README.md.
#include <algorithm>

#include "policy/policy.h"

namespace xsched::policy {
namespace {

class Observe final : public Policy {
public:
    int64_t choose(std::span<const Unit> /*units*/, int64_t /*now_ns*/, std::span<Choice> /*choices*/) override {
        return 0;
    }
    // Marks no unit: none needs to keep its queue short, and none is prepared for.
    void mark_preemptible(std::span<const Unit> /*units*/, std::span<uint8_t> /*marks*/) const override {}
    bool rank(std::span<const Unit> /*units*/, std::span<int32_t> urgency) const override {
        std::fill(urgency.begin(), urgency.end(), 0);
        return true;
    }
    // Returns true although the policy weighs no devices against each other, so that the scheduler also follows a
    // program that is alone on its device.
    bool spans_devices() const override { return true; }
};

}  // namespace

XSCHED_POLICY(Observe, "OBSERVE", kPolicyUnknown, bits_of(),
              "no program is held: programs share the device as without XSched, and are counted even when alone");

}  // namespace xsched::policy
