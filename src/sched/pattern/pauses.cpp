#include "sched/pattern/pauses.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "sched/facts/rule_on.h"

namespace xsched::sched {

// Takes a pause into account when it is over.
bool Pauses::observe(const UnitState& unit) {
    const int64_t ready_ns = unit.unit.ready_since_ns;
    const int64_t idle_ns = unit.idle_since_ns;
    due_ = false;
    if (!unit.ready || ready_ns == seen_ready_ns_) return false;
    const bool known = idle_ns > seen_ready_ns_ && idle_ns <= ready_ns && seen_ready_ns_ != 0;
    const int64_t before_ns = std::exchange(seen_ready_ns_, ready_ns);
    const bool waited = std::exchange(waits_, unit.keep_alive_synchronizes) != unit.keep_alive_synchronizes;
    if (!known) {
        const bool is_queued = is_whole(unit, ready_ns - before_ns);
        if (goes_on_in_parts(ready_ns - before_ns))
            remember({.is_short = true, .is_within = !is_queued, .is_queued = is_queued, .waited = waited});
        return before_ns != 0 && follows_unseen(ready_ns - before_ns);
    }
    last_ns_ = ready_ns - idle_ns;
    const bool is_short = last_ns_ < Habits::kShortNs;
    const bool is_within = last_was_within_ = is_short && is_part(idle_ns - before_ns);
    const bool is_queued = last_ns_ <= kWakeNs && is_whole(unit, idle_ns - before_ns);
    stretch_.note(idle_ns - before_ns);
    remember({.is_short = is_short, .is_within = is_within, .is_queued = is_queued, .waited = waited});
    ++seen_;
    due_ = seen_ >= Habits::kThinkTimes && std::has_single_bit(seen_);
    return true;
}

// Returns whether a pause whose begin was not observed was short: there was no time for a long one. For a unit that
// streams this says little: its first command may end before the second one is launched.
bool Pauses::goes_on_in_parts(int64_t since_ready_ns) const {
    return rule_on(Rule::kUnseenParts) && count_ >= kEnough && !streams() && since_ready_ns < Habits::kShortNs;
}

// Returns whether an unobserved pause lay behind a whole burst: that burst had queued and begun before the last look.
bool Pauses::follows_unseen(int64_t since_ready_ns) {
    const int64_t usual_ns = stretch_.usual_ns();
    last_ns_ = 0;
    last_was_within_ = is_part(since_ready_ns);
    return usual_ns != 0 && since_ready_ns <= usual_ns + usual_ns / 4;
}

void Pauses::remember(const Pause& pause) {
    short_ones_ = short_ones_ << 1 | (pause.is_short ? 1U : 0U);
    within_ = within_ << 1 | (pause.is_within ? 1U : 0U);
    queued_ = queued_ << 1 | (pause.is_queued ? 1U : 0U);
    waited_ = waited_ << 1 | (pause.is_short && pause.waited ? 1U : 0U);
    count_ = std::min(count_ + 1, remembered());
    waits_first_ = most_wait(waited_, short_ones_, waits_first_);
    short_part_ = weighed(short_ones_);
}

// Returns which part of the remembered pauses these are, where later ones weigh more.
double Pauses::weighed(uint32_t pauses) const {
    double weight = 1;
    double sum = 0;
    double found = 0;
    for (unsigned at = 0; at < count_; ++at) {
        if ((pauses >> at & 1) != 0) found += weight;
        sum += weight;
        weight *= 1 - kNewest;
    }
    return sum > 0 ? found / sum : 0;
}

// Returns true once most short pauses begin with a wait, and false again when less than a quarter does.
bool Pauses::most_wait(uint32_t waited, uint32_t short_ones, bool before) {
    const int of = std::popcount(short_ones);
    const int those = std::popcount(waited);
    return those != 0 && (before ? 4 * those >= of : 2 * those > of);
}

void Pauses::begin_with(const Habits& habits) {
    count_ = std::min(habits.pauses, remembered());
    const uint32_t mask = count_ < remembered() ? (1U << count_) - 1 : UINT32_MAX;
    short_ones_ = habits.short_ones & mask;
    waited_ = habits.waited & short_ones_;
    waits_first_ = most_wait(waited_, short_ones_, false);
    short_part_ = weighed(short_ones_);
}

void Pauses::write(Habits& habits) const {
    habits.pauses = count_;
    habits.short_ones = short_ones_;
    habits.waited = waited_;
}

bool Pauses::is_part(int64_t stretch_ns) const { return 2 * stretch_ns < stretch_.usual_ns(); }

// Returns whether such a stretch is a request of its own, rather than one of many parts: it lasts longer than it costs
// to let a victim in behind it.
bool Pauses::is_whole(const UnitState& unit, int64_t stretch_ns) const {
    const int64_t lost_ns = 2 * unit.costs.switch_ns();
    return lost_ns != 0 && stretch_ns > lost_ns && !is_part(stretch_ns);
}

int64_t Pauses::per_thousand() const { return per_thousand(short_part_); }

int64_t Pauses::per_thousand(double short_part) const {
    if (count_ < kEnough) return 1000;
    if (was_within_lately()) return kMostCounted;
    const double per_burst = short_part / std::max(1 - short_part, 0.001);
    return std::min(static_cast<int64_t>(1000 * per_burst), kMostCounted);
}

bool Pauses::streams() const { return count_ >= kEnough && per_thousand() < kFew; }

bool Pauses::streams_or_queues() const {
    return count_ >= kEnough && per_thousand(weighed(short_ones_ & ~queued_)) < kFew;
}

}  // namespace xsched::sched
