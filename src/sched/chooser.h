// Asks the policy about one device on behalf of the core: tells it which units want the device (have work and are
// believed, or are in their grace, or have announced a burst), keeps from it which may not run anyway, and throws it
// out if it lets nobody with work run. What did not change is not computed again. Not thread-safe. No allocation once
// it has seen as many units.
#pragma once

#include <cstdint>
#include <memory>

#include "base/time.h"
#include "policy/policy.h"
#include "sched/memory.h"
#include "sched/unit.h"

namespace xsched::sched {

// One decision about one device.
struct Pass {
    const DeviceUnits& given;
    DeviceMemory& device;
    const Settings& settings;
    int64_t now_ns;
    bool all;              // nothing is known to be as before
    int64_t wake_at_ns = 0;

    const UnitState& unit(uint32_t place) const { return given.units[device.at[place]]; }
    UnitMemory& memory(uint32_t place) const { return device.units[device.at[place]]; }
    // Whether others may be kept off for the unit's sake.
    bool claim_matters(uint32_t place) const {
        return device.preemptible_count > (device.preemptible[place] != 0 ? 1U : 0U);
    }
    void wake(int64_t at_ns) { wake_at_ns = base::earlier(wake_at_ns, at_ns); }
};

class Chooser {
public:
    void set_policy(std::unique_ptr<policy::Policy> policy);  // null: HPF
    const char* policy_name() const { return policy_ != nullptr ? policy_->name() : "none"; }
    const char* thrown_out() const { return thrown_out_[0] != '\0' ? thrown_out_ : nullptr; }
    // Another number after each change of policy.
    uint64_t policy_number() const { return policy_number_; }

    // Fills in pass.device.answers. False: the policy has let nobody with work run for too long.
    bool choose(Pass& pass);
    void throw_out();
    void forget(uint64_t device) {
        if (policy_ != nullptr) policy_->forget(device);
    }

private:
    void see(Pass& pass, uint32_t place);
    void settle_wish(Pass& pass, uint32_t place);
    bool in_grace(Pass& pass, uint32_t place);
    bool is_expected(Pass& pass, uint32_t place);
    const LessUrgent* less_urgent(Pass& pass, uint32_t place);
    void let_run_until_needed(Pass& pass);
    bool stalls(Pass& pass);

    std::unique_ptr<policy::Policy> policy_;  // null only in a build without HPF: everything runs
    uint64_t policy_number_ = 1;
    char thrown_out_[32] = "";
};

}  // namespace xsched::sched
