#include "sched/pattern/anticipation.h"

#include <algorithm>

#include "sched/facts/times.h"

namespace xsched::sched {

namespace {

// Returns a threshold with a margin: think times vary, and one exactly as long as a think time would miss slightly
// longer ones.
int64_t with_margin(int64_t think_ns) { return think_ns + think_ns / 4 + 10'000; }

}  // namespace

void Anticipation::observe(bool ready, int64_t ready_since_ns, int64_t idle_since_ns) {
    // When the burst before ended: as the unit says, or as seen at the last look if another burst has ended since.
    const int64_t ended_ns = ready_since_ns > idle_since_ns ? idle_since_ns : idle_seen_ns_;
    if (ready_since_ns > counted_ready_ns_) {
        // An end that lies before the last begin belongs to an older burst: the last burst's end is unknown.
        const bool known = ended_ns > 0 && ended_ns >= counted_ready_ns_;
        if (known && ready_since_ns > ended_ns) add(ready_since_ns - ended_ns);
        counted_ready_ns_ = ready_since_ns;
    }
    idle_seen_ns_ = ready ? 0 : idle_since_ns;
}

void Anticipation::add(int64_t think_ns) {
    if (unsure_ > 0) --unsure_;
    const bool surprises =
        thinks_.count() >= Habits::kThinkTimes && think_ns < Habits::kShortNs && !resembles_one(think_ns);
    if (surprises) unsure_ = Habits::kThinkTimes;
    thinks_.add(think_ns);
}

// Returns whether a remembered think time is of about this length, within a factor of two. Very short ones all count as
// alike.
bool Anticipation::resembles_one(int64_t think_ns) const {
    const int64_t most_ns = std::max(think_ns * 2, kLookNs);
    const int64_t least_ns = think_ns <= kLookNs ? 0 : think_ns / 2;
    const auto sorted = thinks_.sorted();
    const auto found = std::ranges::lower_bound(sorted, least_ns);
    return found != sorted.end() && *found <= most_ns;
}

void Anticipation::begin_with(const Habits& habits) {
    for (unsigned i = 0; i < std::min(habits.think_times, Habits::kThinkTimes); ++i)
        add(int64_t{habits.think_us[i]} * 1000);
    unsure_ = 0;
}

void Anticipation::write(Habits& habits) const {
    habits.think_times = thinks_.count() < Habits::kThinkTimes ? 0 : Habits::kThinkTimes;
    for (unsigned i = 0; i < habits.think_times; ++i)
        habits.think_us[i] = static_cast<uint32_t>(
            std::min<int64_t>(thinks_.quantile(2 * i + 1, 2 * Habits::kThinkTimes) / 1000, UINT32_MAX));
}

int64_t Anticipation::newcomer_length(int64_t wrong_ns, int64_t max_ns) {
    return max_ns <= 0 ? 0 : std::min(std::max(wrong_ns, kLookNs), max_ns);
}

int64_t Anticipation::length(int64_t wrong_ns, int64_t max_ns) const {
    if (max_ns <= 0) return 0;
    if (thinks_.count() < Habits::kThinkTimes) return newcomer_length(wrong_ns, max_ns);
    wrong_ns = std::max(wrong_ns, kLookNs);

    const auto sorted = thinks_.sorted();
    const auto count = thinks_.count();
    const int64_t penalty_ns = wrong_ns * kUrgencyWeight;
    int64_t best_ns = 0;
    int64_t best_cost = penalty_ns * count;  // cost without anticipation: wrong every time
    int64_t covered_ns = 0;  // sum of the think times that are shorter than the candidate
    unsigned covered = 0;
    for (unsigned i = 0; i < count && sorted[i] <= max_ns; ++i) {
        const int64_t candidate_ns = std::min(with_margin(sorted[i]), max_ns);
        while (covered < count && sorted[covered] <= candidate_ns) covered_ns += sorted[covered++];
        const int64_t cost = covered_ns + (candidate_ns + penalty_ns) * (count - covered);
        if (cost < best_cost) {
            best_cost = cost;
            best_ns = candidate_ns;
        }
    }
    return best_ns;
}

}  // namespace xsched::sched
