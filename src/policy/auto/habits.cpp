#include "policy/auto/habits.h"

namespace xsched::policy {

namespace {

// A program becomes one with brief bursts below the first load, and stays one up to the second.
constexpr float kBriefBelow = 0.5F;
constexpr float kBriefUpTo = 0.6F;

}  // namespace

void Habits::see(const Program& program, int64_t ran_ns, int64_t now_ns) {
    if (ready_ && in_burst_ && ran_ns > 0) {
        ran_ns_ += ran_ns;
        weigh(ran_ns, true);
        if (used_ns_ == 0 && program.used_ns > 0) empty_ns_ = std::max<int64_t>(ran_ns_ - program.used_ns, 0);
        used_ns_ += program.used_ns;
    }
    if (program.ready == ready_) return;
    ready_ = program.ready;
    if (!ready_) {
        idle_ns_ = now_ns;
        return;
    }
    const int64_t came_ns = std::clamp(program.ready_since_ns, idle_ns_, now_ns);
    const int64_t pause_ns = idle_ns_ != 0 ? came_ns - idle_ns_ : 0;
    if (in_burst_ && pause_ns < kRestNs) {
        ran_ns_ += pause_ns;
        weigh(pause_ns, true);
        return;
    }
    if (in_burst_) end();
    if (idle_ns_ != 0) weigh(pause_ns, false);
    begin(came_ns);
}

void Habits::begin(int64_t now_ns) {
    in_burst_ = true;
    began_ns_ = now_ns;
    ran_ns_ = 0;
    empty_ns_ = used_ns_ = 0;
}

// Ends the burst, at the time when the present rest began.
void Habits::end() {
    in_burst_ = false;
    ++bursts_;
    latency_ns_ = idle_ns_ - began_ns_;
    last_ran_ns_ = ran_ns_;
    // The burst's own length includes the time until its first command only if the device was busy for half of the
    // burst. Otherwise the device mostly waited for the host, and that time says nothing.
    last_own_ns_ = used_ns_ >= ran_ns_ / 2 ? ran_ns_ - empty_ns_ : ran_ns_;
    mean_ns_ = mean_ns_ == 0 ? std::max<int64_t>(ran_ns_, 1) : mean_ns_ + (ran_ns_ - mean_ns_) / 4;
}

void Habits::weigh(int64_t own_ns, bool busy) {
    constexpr auto kMemory = static_cast<float>(kMemoryNs);
    const auto ns = static_cast<float>(own_ns);
    own_ns_ += own_ns;
    load_ += ((busy ? 1.0F : 0.0F) - load_) * (ns / (ns + kMemory));
    brief_ = is_known() && load_ < (brief_ ? kBriefUpTo : kBriefBelow);
}

}  // namespace xsched::policy
