// One device in virtual time, and programs that use it: bursts of commands with pauses in between, decided by one
// policy within their limits. A command that has begun runs to its end, whatever is decided meanwhile. Deterministic; a
// second of it costs milliseconds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "policy/limits.h"
#include "policy/policy.h"

namespace xsched::policy::testing {

inline constexpr int64_t kUs = 1'000;
inline constexpr int64_t kMs = 1'000'000;
inline constexpr int64_t kSecond = 1'000'000'000;

struct Job {
    Unit unit;
    int64_t command_ns = kMs;
    int64_t commands = 0;  // of a burst; 0: always busy
    int64_t gap_ns = 0;  // from the end of a burst to the begin of the next
    int64_t period_ns = 0;  // or from begin to begin
    int64_t starts_ns = 0;  // not there before

    // The job's progress.
    int64_t left = 0;
    int64_t back_ns = 0;
    int64_t waits_ns = -1;  // since when it has work and is suspended; -1: it does not
    int64_t longest_wait_ns = 0;
    int64_t bursts = 0;
    int64_t missed = 0;  // bursts that ended after their deadline
    std::vector<int64_t> lengths_ns;  // of bursts, from ready to complete
    std::vector<int64_t> marks;  // busy_ns at the end of each tenth of a second
};

class VirtualDevice {
public:
    static constexpr int64_t kMarkNs = 100 * kMs;

    explicit VirtualDevice(const char* policy) : policy_(find_policy(policy)->make()) {}
    VirtualDevice(const char* policy, const std::vector<Job>& jobs) : VirtualDevice(policy) {
        for (const Job& job : jobs) add(job);
    }

    Job& add(Job job) {
        if (job.unit.id == 0) job.unit.id = jobs_.size() + 1;
        if (job.unit.process == 0) job.unit.process = job.unit.id;
        job.unit.device = 1;
        job.unit.command_ns = job.command_ns;
        job.back_ns = std::max(job.starts_ns, now_);
        jobs_.push_back(job);
        changed_ = true;
        return jobs_.back();
    }
    Job& job(size_t i) { return jobs_[i]; }
    size_t size() const { return jobs_.size(); }
    int64_t now() const { return now_; }
    const std::vector<Choice>& choices() const { return choices_; }
    const Policy& policy() const { return *policy_; }
    bool device_idle_with_work() const { return stood_ns_ > 0; }
    int64_t stood_ns() const { return stood_ns_; }

    // Replaces the policy in the same way as the scheduler's core.
    void set_policy(const char* name) {
        policy_->hand_over(accounts_);
        policy_ = find_policy(name)->make();
        policy_->take_over(accounts_);
        changed_ = true;
    }

    void run(int64_t for_ns);

    // Returns the job's part of the device, in percent of the time from the mark `from` to the mark `to`.
    double part(size_t i, size_t from, size_t to) const {
        const auto& marks = jobs_[i].marks;
        const int64_t before = from == 0 ? 0 : marks[from - 1];
        return 100.0 * static_cast<double>(marks[to - 1] - before) / static_cast<double>((to - from) * kMarkNs);
    }
    size_t marks() const { return static_cast<size_t>(now_ / kMarkNs); }
    // Returns a hash of everything that was decided.
    uint64_t trace() const { return trace_; }

private:
    void step(int64_t end);
    void wake_up();
    void decide();
    // Starts the next command: programs that may run take turns with one command each.
    void start();
    void complete();

    static constexpr size_t kNobody = SIZE_MAX;
    std::unique_ptr<Policy> policy_;
    Limits limits_;
    std::vector<Job> jobs_;
    std::vector<size_t> places_;  // of the units given
    std::vector<Choice> choices_;
    std::vector<bool> may_;
    std::vector<Ahead> accounts_;
    int64_t now_ = 0;
    int64_t again_ns_ = 0;
    int64_t stood_ns_ = 0;
    // The command on the device.
    struct Running {
        size_t job = kNobody;
        int64_t began_ns = 0;
        int64_t ends_ns = 0;
        bool any() const { return job != kNobody; }
    };
    Running running_;
    size_t last_ = 0;  // the job whose command began last
    bool changed_ = true;
    uint64_t trace_ = 0xcbf29ce484222325;
};

}  // namespace xsched::policy::testing
