#include "sched/pattern/period.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "sched/facts/rule_on.h"

namespace xsched::sched {

void EvenTimes::add(int64_t ns) {
    if (even() && !fits(ns) && strays_ < kMostStrays && rule_on(Rule::kStrays)) {
        ++strays_;
        return;
    }
    if (!possible(ns) || !fits(ns)) times_.clear();
    strays_ = 0;
    if (!possible(ns)) return;
    times_.add(ns);
    if (times_.count() >= kEnough) expect();
}

int64_t EvenTimes::kept_ns(int64_t from_ns) const {
    int64_t sum_ns = 0;
    for (const int64_t ns : times_.sorted()) sum_ns += std::max<int64_t>(ns - from_ns, 0);
    return sum_ns / times_.count();
}

void EvenTimes::expect() {
    from_ns_ = times_.least() - kEarlyNs;
    if (!even() || !rule_on(Rule::kEarliest)) return;
    const int64_t may_keep_ns = std::max(times_.least() / kPart, kEarlyNs);
    while (from_ns_ < times_.most() && kept_ns(from_ns_) > may_keep_ns) from_ns_ += kStepNs;
}

int64_t Period::observe(int64_t ready_since_ns, int64_t idle_since_ns) {
    if (ready_since_ns <= seen_ns_) return 0;
    const int64_t before_ns = std::exchange(seen_ns_, ready_since_ns);
    // A pause whose begin was not observed is long if the last observed pause, or the unit's work, began long before.
    const bool seen = idle_since_ns > before_ns;
    if (ready_since_ns - (seen ? idle_since_ns : before_ns) < (seen ? Habits::kShortNs : kLeastRestNs)) return 0;
    const int64_t began_ns = std::exchange(began_ns_, ready_since_ns);
    note_begin(ready_since_ns, began_ns);
    if (idle_since_ns <= began_ns || began_ns == 0) return 0;
    rests_.add(ready_since_ns - idle_since_ns);
    note_length(idle_since_ns - began_ns);
    return idle_since_ns - began_ns;
}

bool Period::even() const { return periods_.even() || (rests_.even() && rule_on(Rule::kRests)); }

Expected Period::next(int64_t idle_since_ns, int64_t now_ns) const {
    const bool rests = rests_are_more_even();
    const EvenTimes& times = rests ? rests_ : periods_;
    if (!times.even()) return {};
    const int64_t from_ns = rests ? idle_since_ns : due_ns_;
    const Expected next{.at_ns = from_ns + times.from_ns(),
                        .until_ns = from_ns + times.most_ns() + kLateNs,
                        .most_lead_ns = times.from_ns() / 2};
    return now_ns < next.until_ns ? next : Expected{};  // late: the burst is given up, but not the rhythm
}

Expected Period::end(int64_t now_ns) const {
    if (!lengths_.even()) return {};
    const Expected end{.at_ns = began_ns_ + lengths_.from_ns(),
                       .until_ns = began_ns_ + lengths_.most_ns() + kLateNs,
                       .most_lead_ns = lengths_.from_ns() / 2};
    return now_ns < end.until_ns ? end : Expected{};
}

// Returns the moment from which the next burst is expected, one period later. A burst that begins later than all before
// but one was delayed by the machine. A program that follows a clock then begins the next burst on time; any other
// begins it that much later.
int64_t Period::due(int64_t ready_ns) {
    const int64_t interval_ns = ready_ns - due_ns_;
    const int64_t middle_ns = periods_.middle_ns();
    const bool late = periods_.even() && interval_ns > periods_.most_but_one_ns() + kLateNs &&
                      interval_ns < middle_ns + middle_ns / 2 && late_ones_ < EvenTimes::kMostStrays;
    late_ones_ = late ? late_ones_ + 1 : 0;
    by_clock_ns_ = late ? due_ns_ + middle_ns : 0;
    return late && keeps_to_clock_ && rule_on(Rule::kByClock) ? by_clock_ns_ : ready_ns;
}

void Period::note_begin(int64_t ready_ns, int64_t before_ns) {
    if (by_clock_ns_ != 0) {  // the burst before was late
        const int64_t middle_ns = periods_.middle_ns();
        keeps_to_clock_ = std::abs(ready_ns - by_clock_ns_ - middle_ns) < std::abs(ready_ns - before_ns - middle_ns);
    }
    const int64_t due_ns = due(ready_ns);
    if (before_ns != 0) periods_.add(ready_ns - due_ns_);
    due_ns_ = due_ns;
}

void Period::note_length(int64_t ns) {
    lengths_.add(ns);
    uneven_ = lengths_.even() ? 0 : uneven_ + 1;
    const unsigned most = rule_on(Rule::kUsualLasts) ? kMostUneven : 0;
    if (lengths_.even())
        usual_ns_ = lengths_.most_but_one_ns();
    else if (uneven_ > most)
        usual_ns_ = 0;
}

bool Period::rests_are_more_even() const {
    return rule_on(Rule::kRests) && rests_.even() && (!periods_.even() || rests_.spread_ns() < periods_.spread_ns());
}

}  // namespace xsched::sched
