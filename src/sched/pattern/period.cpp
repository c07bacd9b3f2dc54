#include "sched/pattern/period.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "sched/facts/times.h"

namespace xsched::sched {

// Adds a time, and looks again for the alike ones: the most times that differ by at most kMostSpreadNs, and of
// several such sets of equal size the closest.
void EvenTimes::add(int64_t ns) {
    times_.add(ns);
    const std::span sorted = times_.sorted();
    alike_from_ = alike_count_ = 0;
    int64_t spread_ns = 0;
    for (unsigned from = 0, to = 0; from < sorted.size(); ++from) {
        while (to < sorted.size() && sorted[to] - sorted[from] <= kMostSpreadNs) ++to;
        const int64_t its_ns = sorted[to - 1] - sorted[from];
        if (to - from < alike_count_ || (to - from == alike_count_ && its_ns >= spread_ns)) continue;
        alike_from_ = from;
        alike_count_ = to - from;
        spread_ns = its_ns;
    }
    const bool possible = alike().front() >= least_possible_ns_ && alike().back() <= kLatelyNs;
    even_ =
        possible && alike_count_ >= enough_times() && kStrayPart * (times_.count() - alike_count_) <= times_.count();
}

bool EvenTimes::some_like(int64_t ns) const {
    return std::ranges::any_of(times_.sorted(),
                               [ns](int64_t its_ns) { return std::abs(its_ns - ns) <= kMostSpreadNs; });
}

int64_t EvenTimes::kept_ns(int64_t from_ns) const {
    int64_t sum_ns = 0;
    for (const int64_t ns : alike()) sum_ns += std::max<int64_t>(ns - from_ns, 0);
    return sum_ns / alike_count_;
}

int64_t EvenTimes::from_ns() const {
    const int64_t may_keep_ns = std::max(alike().front() / kPart, kEarlyNs);
    int64_t from_ns = alike().front() - kEarlyNs;
    while (from_ns < most_ns() && kept_ns(from_ns) > may_keep_ns) from_ns += kEarlyNs / 2;
    return from_ns;
}

int64_t Period::observe(int64_t ready_since_ns, int64_t idle_since_ns) {
    if (ready_since_ns <= seen_ns_) return 0;
    const int64_t before_ns = std::exchange(seen_ns_, ready_since_ns);
    // If the begin of the pause was not observed, the pause counts as long if the last begin of work that was
    // observed lies long back.
    const bool seen = idle_since_ns > before_ns;
    if (ready_since_ns - (seen ? idle_since_ns : before_ns) < (seen ? Habits::kShortNs : kLeastRestNs)) return 0;
    const int64_t began_ns = std::exchange(began_ns_, ready_since_ns);
    note_begin(ready_since_ns, began_ns);
    if (idle_since_ns <= began_ns || began_ns == 0) return 0;
    rests_.add(ready_since_ns - idle_since_ns);
    note_length(idle_since_ns - began_ns);
    return idle_since_ns - began_ns;
}

bool Period::even() const { return periods_.even() || rests_.even(); }

Expected Period::next(int64_t idle_since_ns, int64_t now_ns) const {
    const bool rests = rests_are_more_even();
    const EvenTimes& times = rests ? rests_ : periods_;
    if (!times.even()) return {};
    const int64_t from_ns = rests ? idle_since_ns : due_ns_;
    const Expected next{.at_ns = from_ns + times.from_ns(),
                        .until_ns = (rests ? idle_since_ns : began_ns_) + times.most_ns() + kLookNs,
                        .most_lead_ns = times.from_ns() / 2};
    return now_ns < next.until_ns ? next : Expected{};  // late: the burst is given up, but not the rhythm
}

Expected Period::end(int64_t now_ns) const {
    if (!lengths_.even()) return {};
    const Expected end{.at_ns = began_ns_ + lengths_.from_ns(),
                       .until_ns = began_ns_ + lengths_.most_ns() + kLookNs,
                       .most_lead_ns = lengths_.from_ns() / 2};
    return now_ns < end.until_ns ? end : Expected{};
}

// Notes a burst's begin. A burst that begins later than all before was delayed by the machine. A program that follows a
// clock then begins the next burst on time; any other begins it that much later. The device is kept for both, and the
// interval that lies closer to the rhythm counts.
void Period::note_begin(int64_t ready_ns, int64_t before_ns) {
    const int64_t middle_ns = periods_.even() ? periods_.middle_ns() : 0;
    const auto off_ns = [middle_ns](int64_t ns) { return std::abs(ns - middle_ns); };
    const int64_t since_begun_ns = ready_ns - before_ns;
    const int64_t since_due_ns = ready_ns - due_ns_;
    const bool by_clock = middle_ns != 0 && off_ns(since_due_ns) < off_ns(since_begun_ns);
    const int64_t interval_ns = by_clock ? since_due_ns : since_begun_ns;
    const bool late =
        middle_ns != 0 && interval_ns > periods_.most_ns() + kLookNs && interval_ns < middle_ns + middle_ns / 2;
    due_ns_ = late ? ready_ns - interval_ns + middle_ns : ready_ns;
    if (before_ns != 0) periods_.add(interval_ns);
}

void Period::note_length(int64_t ns) {
    lengths_.add(ns);
    if (lengths_.even())
        usual_ns_ = lengths_.most_but_one_ns();
    else if (!lengths_.some_like(usual_ns_))
        usual_ns_ = 0;
}

bool Period::rests_are_more_even() const {
    return rests_.even() && (!periods_.even() || rests_.spread_ns() < periods_.spread_ns());
}

}  // namespace xsched::sched
