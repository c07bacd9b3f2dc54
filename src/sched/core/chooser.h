// Asks the policy about one device on behalf of the core. A unit is the queues of one process with equal priority on
// the device. The policy is told which units want the device: those that have work and are believed to (claim.h), are
// expected back at once (anticipation.h), or have announced a burst (expectation.h). It never sees units that may not
// run anyway. A policy that lets no unit with work run is replaced. Unchanged units are not computed again. Not
// thread-safe. No allocation once as many units were seen before.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "policy/policy.h"
#include "sched/order/gangs.h"
#include "sched/order/waits.h"
#include "sched/state/pass.h"

namespace xsched::sched {

class Chooser {
public:
    void set_policy(std::unique_ptr<policy::Policy> policy);  // null: HPF
    const char* policy_name() const { return policy_ != nullptr ? policy_->name() : "none"; }
    const char* thrown_out() const { return thrown_out_[0] != '\0' ? thrown_out_ : nullptr; }
    bool breaks_its_word() const { return policy_ != nullptr && policy_->breach() != nullptr; }
    const char* why_thrown_out() const { return why_thrown_out_; }
    // Returns a number that differs after each change of policy.
    uint64_t policy_number() const { return policy_number_; }
    bool spans_devices() const { return policy_ != nullptr && policy_->spans_devices(); }
    policy::Fact needs() const { return policy_ != nullptr ? policy_->needs() : policy::Fact::kNothing; }
    // Returns the accounts on which the shares of the policy in force rest, or those of the last policy that kept
    // accounts.
    const std::vector<policy::Ahead>& accounts();
    void take_over(std::span<const policy::Ahead> accounts);

    // Fills in pass.device.answers. Returns false if the policy let no unit with work run for too long, or broke its
    // word.
    bool choose(Pass& pass);
    void throw_out();
    Gangs& gangs() { return gangs_; }
    Waits& waits() { return waits_; }
    void forget(uint64_t device, std::span<const GangHere> there) {
        gangs_.forget(device, there);
        if (policy_ != nullptr) policy_->forget(device);
    }

private:
    void see_units(Pass& pass) const;
    void mark_preemptible(Pass& pass);
    void ask_policy(Pass& pass);
    static void see(Pass& pass, uint32_t place);
    void settle_wish(Pass& pass, uint32_t place);
    bool anticipated(Pass& pass, uint32_t place);
    int64_t longer_pause(Pass& pass, uint32_t place, int64_t learned_ns, int64_t newcomer_ns);
    bool is_expected(Pass& pass, uint32_t place);
    const LessUrgent* less_urgent(Pass& pass, uint32_t place);
    void let_run_until_needed(Pass& pass);
    void rank(Pass& pass) const;
    void take_notes(Pass& pass) const;
    bool stalls(Pass& pass);

    std::unique_ptr<policy::Policy> policy_;  // null only in a build without HPF: everything runs
    Gangs gangs_;
    Waits waits_;
    uint64_t policy_number_ = 1;
    uint64_t across_ = 0;  // the policy's
    std::vector<policy::Ahead> accounts_;
    char thrown_out_[32] = "";
    const char* why_thrown_out_ = "";
};

}  // namespace xsched::sched
