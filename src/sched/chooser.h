// Asks the policy, device by device, on behalf of the core: tells it who wants the device (has work, or is in its
// grace, or has announced a burst), keeps from it who may not run anyway, and throws it out if it lets nobody with work run.
// Not thread-safe. No allocation once it has seen as many units.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "policy/policy.h"
#include "sched/core.h"
#include "sched/expectation.h"
#include "sched/memory.h"

namespace xsched::sched {

// Not suspended by a person, and not PRIORITY_NO_EXECUTE.
constexpr bool is_eligible(const UnitState& state) {
    return !state.held && state.unit.priority > PRIORITY_NO_EXECUTE;
}

// The earlier of two times, of which 0 means never.
constexpr int64_t earlier(int64_t a, int64_t b) {
    if (a == 0 || b == 0) return a + b;
    return a < b ? a : b;
}

class Chooser {
public:
    void set_policy(std::unique_ptr<policy::Policy> policy);  // null: HPF
    const char* policy_name() const { return policy_ != nullptr ? policy_->name() : "none"; }
    const char* thrown_out() const { return thrown_out_[0] != '\0' ? thrown_out_ : nullptr; }

    // Answers for all units given, which `memory` follows. Returns when to ask again though nothing happens, or 0.
    int64_t choose(std::span<const UnitState> given, Memory& memory, const Settings& settings, int64_t now_ns);
    // By position in `given`; meaningless for units that are not eligible.
    const policy::Choice& choice(size_t at) const { return choices_[at]; }
    // Whether it wants the device only for a burst that is still to come.
    bool expected(size_t at) const { return expected_[at].at_ns != 0; }
    // The same, and the burst begins in a moment.
    bool imminent(size_t at) const { return imminent_[at] != 0; }
    // Whether the policy can ever suspend it for another of the units given.
    bool preemptible(size_t at) const { return preemptible_[at] != 0; }

private:
    struct Pass {  // the arguments of choose()
        std::span<const UnitState> given;
        Memory& memory;
        const Settings& settings;
        int64_t now_ns;
    };
    bool choose_all(const Pass& pass);
    bool choose_device(const Pass& pass, DeviceMemory& device);
    void gather(const Pass& pass, const DeviceMemory& device);
    bool in_grace(const Pass& pass, uint32_t at);
    bool is_expected(const Pass& pass, uint32_t at);
    void let_run_until_needed(const Pass& pass);
    void throw_out(Memory& memory);
    void wake(int64_t at_ns) { wake_at_ns_ = earlier(wake_at_ns_, at_ns); }

    std::unique_ptr<policy::Policy> policy_;  // null only in a build without HPF: everything runs
    char thrown_out_[32] = "";
    std::vector<policy::Choice> choices_;
    std::vector<uint8_t> preemptible_;
    std::vector<uint8_t> imminent_;
    std::vector<Expected> expected_;  // those that want the device for nothing else
    int64_t wake_at_ns_ = 0;
    // Of the device at hand, its eligible units: what the policy gets, what it answers, where they are in `given`.
    std::vector<policy::Unit> units_;
    std::vector<policy::Choice> answers_;
    std::vector<uint32_t> at_;
};

}  // namespace xsched::sched
