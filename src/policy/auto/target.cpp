#include "policy/auto/target.h"

#include <limits>

namespace xsched::policy {

namespace {

// Margin below the target. Part of it covers the time until a decision is carried out, and that a program sees the end
// of a burst later than its queue does. Beyond that the margin is the recent spread of the bursts, up to a part of the
// target.
constexpr int64_t kMarginNs = 100'000;
constexpr int64_t kMarginPercent = 8;
constexpr int64_t kMostSpreadPart = 4;

uint32_t microseconds(int64_t ns) {
    return static_cast<uint32_t>(std::clamp<int64_t>(ns / 1000, 0, std::numeric_limits<uint32_t>::max()));
}

}  // namespace

void Target::note(const Habits& habits, bool alone) {
    const uint32_t at = bursts_++ % kBursts;
    ran_us_[at] = microseconds(habits.last_ran_ns());
    own_us_[at] = microseconds(habits.last_own_ns());
    latency_us_[at] = microseconds(habits.latency_ns());
    const auto [least, most] = std::minmax_element(ran_us_.begin(), ran_us_.begin() + count());
    shortest_ns_ = int64_t{*least} * 1000;
    longest_ns_ = int64_t{*most} * 1000 + 1000;
    shortest_own_ns_ = int64_t{*std::min_element(own_us_.begin(), own_us_.begin() + count())} * 1000;
    spread_ns_ = high(latency_us_) * 1000 - median(latency_us_) * 1000;
    const int64_t own_ns = habits.last_own_ns();
    if (alone) alone_ns_ = alone_ns_ == 0 ? own_ns : alone_ns_ + (own_ns - alone_ns_) / 8;
}

int64_t Target::ns(int64_t slo_p99) const {
    if (slo_p99 >= 0) return slo_p99 * 1000;
    return (alone_ns_ != 0 ? std::min(alone_ns_, shortest_own_ns_) : shortest_own_ns_) * -slo_p99 / 100;
}

int64_t Target::needs_device_ns(const Habits& habits, int64_t slo_p99, int64_t now_ns) const {
    if (!is_known()) return now_ns;
    const int64_t left_ns = std::max<int64_t>(longest_ns_ - habits.ran_ns(), 0);
    const int64_t target_ns = ns(slo_p99);
    const int64_t margin_ns = target_ns * kMarginPercent / 100 + std::min(spread_ns_, target_ns / kMostSpreadPart);
    return habits.began_ns() + target_ns - margin_ns - left_ns - kMarginNs;
}

int64_t Target::median(const Lengths& lengths) const {
    if (count() == 0) return 0;
    Lengths sorted = lengths;
    const auto middle = sorted.begin() + count() / 2;
    std::nth_element(sorted.begin(), middle, sorted.begin() + count());
    return *middle;
}

// Returns whether too many bursts miss the target. One in a hundred may be late. If exactly so many are, chance makes
// it three of kBursts every seventh time, and five once in a hundred times.
bool Target::is_impossible(int64_t target_ns) const {
    uint32_t late = 0;
    for (uint32_t i = 0; i < count(); ++i) late += int64_t{ran_us_[i]} * 1000 > target_ns ? 1 : 0;
    return late > 1 + count() / 32;
}

// Returns the second longest of kBursts, or the longest if there are fewer.
int64_t Target::high(const Lengths& lengths) const {
    uint32_t first = 0;
    uint32_t second = 0;
    for (uint32_t i = 0; i < count(); ++i) {
        second = std::max(second, std::min(first, lengths[i]));
        first = std::max(first, lengths[i]);
    }
    return bursts_ >= kBursts ? second : first;
}

}  // namespace xsched::policy
