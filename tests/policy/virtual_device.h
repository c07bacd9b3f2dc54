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

    // Its progress.
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

    // As Core does it.
    void set_policy(const char* name) {
        policy_->hand_over(accounts_);
        policy_ = find_policy(name)->make();
        policy_->take_over(accounts_);
        changed_ = true;
    }

    void run(int64_t for_ns) {
        for (const int64_t end = now_ + for_ns; now_ < end;) step(end);
    }

    // Percent of the time from the marks `from` to `to`.
    double part(size_t i, size_t from, size_t to) const {
        const auto& marks = jobs_[i].marks;
        const int64_t before = from == 0 ? 0 : marks[from - 1];
        return 100.0 * static_cast<double>(marks[to - 1] - before) / static_cast<double>((to - from) * kMarkNs);
    }
    size_t marks() const { return static_cast<size_t>(now_ / kMarkNs); }
    // Everything that was decided, as one number.
    uint64_t trace() const { return trace_; }

private:
    void step(int64_t end) {
        wake_up();
        if (changed_ || (again_ns_ != 0 && now_ >= again_ns_)) decide();
        if (running_ == kNobody) start();
        int64_t next = std::min(end, (now_ / kMarkNs + 1) * kMarkNs);
        if (running_ != kNobody) next = std::min(next, ends_ns_);
        if (again_ns_ != 0) next = std::min(next, std::max(again_ns_, now_ + 100 * kUs));  // as Chooser does
        for (const Job& job : jobs_)
            if (!job.unit.ready) next = std::min(next, std::max(job.back_ns, now_ + 1));
        if (running_ == kNobody)
            for (const Job& job : jobs_)
                if (job.unit.ready) {
                    stood_ns_ += next - now_;
                    break;
                }
        now_ = next;
        if (running_ != kNobody && now_ >= ends_ns_) complete();
        if (now_ % kMarkNs == 0)
            for (Job& job : jobs_) {
                const bool runs = running_ != kNobody && &job == &jobs_[running_];
                job.marks.push_back(job.unit.busy_ns + (runs ? now_ - began_ns_ : 0));
            }
    }

    void wake_up() {
        for (Job& job : jobs_) {
            if (job.unit.ready || now_ < job.back_ns) continue;
            job.unit.ready = job.unit.wants = true;
            job.unit.ready_since_ns = job.waits_ns = now_;
            job.left = job.commands;
            changed_ = true;
        }
    }

    void decide() {
        std::vector<Unit> units;
        places_.clear();
        for (size_t i = 0; i < jobs_.size(); ++i) {
            if (now_ < jobs_[i].starts_ns) continue;
            units.push_back(jobs_[i].unit);
            places_.push_back(i);
        }
        choices_.assign(units.size(), Choice{});
        const bool limits = std::any_of(units.begin(), units.end(), Limits::limits);
        const int64_t limits_again_ns = limits ? limits_.begin_asking(units, now_) : 0;
        again_ns_ = base::earlier(limits_again_ns, policy_->choose(units, now_, choices_));
        if (limits) limits_.end_asking(units, choices_);
        may_.assign(jobs_.size(), false);
        for (size_t i = 0; i < places_.size(); ++i) {
            may_[places_[i]] = choices_[i].run;
            trace_ = (trace_ ^ (choices_[i].run ? units[i].id : 0)) * 0x100000001b3;
        }
        trace_ = (trace_ ^ static_cast<uint64_t>(now_ + again_ns_)) * 0x100000001b3;
        changed_ = false;
    }

    // Programs that may run take turns, command by command.
    void start() {
        for (size_t k = 1; k <= jobs_.size(); ++k) {
            const size_t i = (last_ + k) % jobs_.size();
            if (!jobs_[i].unit.ready || !may_[i]) continue;
            Job& job = jobs_[i];
            job.longest_wait_ns = std::max(job.longest_wait_ns, now_ - job.waits_ns);
            running_ = last_ = i;
            began_ns_ = now_;
            ends_ns_ = now_ + job.command_ns;
            return;
        }
    }

    void complete() {
        Job& job = jobs_[running_];
        running_ = kNobody;
        changed_ = true;  // the dispatcher sees what was used
        job.unit.busy_ns += job.command_ns;
        job.waits_ns = now_;
        if (job.commands == 0 || --job.left > 0) return;
        const int64_t length_ns = now_ - job.unit.ready_since_ns;
        ++job.bursts;
        job.missed += job.unit.deadline_us != 0 && length_ns > job.unit.deadline_us * 1000 ? 1 : 0;
        job.lengths_ns.push_back(length_ns);
        job.unit.ready = job.unit.wants = false;
        job.back_ns = job.period_ns != 0 ? std::max(now_, job.unit.ready_since_ns + job.period_ns) : now_ + job.gap_ns;
    }

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
    int64_t began_ns_ = 0;
    int64_t ends_ns_ = 0;
    int64_t stood_ns_ = 0;
    size_t running_ = kNobody;
    size_t last_ = 0;
    bool changed_ = true;
    uint64_t trace_ = 0xcbf29ce484222325;
};

}  // namespace xsched::policy::testing
