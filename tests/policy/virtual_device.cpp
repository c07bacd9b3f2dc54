#include "policy/virtual_device.h"

namespace xsched::policy::testing {

void VirtualDevice::run(int64_t for_ns) {
    for (const int64_t end = now_ + for_ns; now_ < end;) step(end);
}

void VirtualDevice::step(int64_t end) {
    wake_up();
    if (changed_ || (again_ns_ != 0 && now_ >= again_ns_)) decide();
    if (!running_.any()) start();
    int64_t next = std::min(end, (now_ / kMarkNs + 1) * kMarkNs);
    if (running_.any()) next = std::min(next, running_.ends_ns);
    if (again_ns_ != 0) next = std::min(next, std::max(again_ns_, now_ + 100 * kUs));  // as Chooser does
    for (const Job& job : jobs_)
        if (!job.unit.ready) next = std::min(next, std::max(job.back_ns, now_ + 1));
    if (!running_.any())
        for (const Job& job : jobs_)
            if (job.unit.ready) {
                stood_ns_ += next - now_;
                break;
            }
    now_ = next;
    if (running_.any() && now_ >= running_.ends_ns) complete();
    if (now_ % kMarkNs == 0)
        for (Job& job : jobs_) {
            const bool runs = running_.any() && &job == &jobs_[running_.job];
            job.marks.push_back(job.unit.busy_ns + (runs ? now_ - running_.began_ns : 0));
        }
}

void VirtualDevice::wake_up() {
    for (Job& job : jobs_) {
        if (job.unit.ready || now_ < job.back_ns) continue;
        job.unit.ready = job.unit.wants = true;
        job.unit.ready_since_ns = job.waits_ns = now_;
        job.left = job.commands;
        changed_ = true;
    }
}

void VirtualDevice::decide() {
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

void VirtualDevice::start() {
    for (size_t k = 1; k <= jobs_.size(); ++k) {
        const size_t i = (last_ + k) % jobs_.size();
        if (!jobs_[i].unit.ready || !may_[i]) continue;
        Job& job = jobs_[i];
        job.longest_wait_ns = std::max(job.longest_wait_ns, now_ - job.waits_ns);
        running_ = {.job = i, .began_ns = now_, .ends_ns = now_ + job.command_ns};
        last_ = i;
        return;
    }
}

void VirtualDevice::complete() {
    Job& job = jobs_[running_.job];
    running_ = {};
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

}  // namespace xsched::policy::testing
