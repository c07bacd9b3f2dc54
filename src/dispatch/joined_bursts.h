// Joins a queue's bursts into requests. A pause of less than a millisecond belongs to the request, since a program that
// waits for every few kernels still works on the same thing (policy AUTO sees bursts likewise). Pure; one object per
// queue; not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "sched/facts/habits.h"

namespace xsched::dispatch {

class JoinedBursts {
public:
    struct Request {
        int64_t length_ns = 0;
        int64_t held_ns = 0;  // the part of it in which the queue was suspended with work to do
        int64_t rest_ns = 0;  // from the end of the request before; 0: not known
        int64_t bursts = 0;  // of which it is joined
        int64_t pauses_ns = 0;  // the time between these
    };
    // Takes in a burst that is over. Returns the request before the burst, if this burst begins another one.
    std::optional<Request> add(int64_t began_ns, int64_t ended_ns, int64_t held_ns) {
        const bool first = ended_ns_ == 0;
        const int64_t pause_ns = std::max<int64_t>(began_ns - ended_ns_, 0);
        std::optional<Request> over;
        if (!first && pause_ns >= sched::Habits::kShortNs)
            over = Request{ended_ns_ - began_ns_, std::min(held_ns_, ended_ns_ - began_ns_), rest_ns_, bursts_,
                           pauses_ns_};
        if (first || over) {
            began_ns_ = began_ns;
            held_ns_ = 0;
            rest_ns_ = first ? 0 : pause_ns;
            bursts_ = 0;
            pauses_ns_ = 0;
        } else {
            pauses_ns_ += pause_ns;
        }
        ++bursts_;
        ended_ns_ = std::max(ended_ns, began_ns_);
        held_ns_ += held_ns;
        return over;
    }

private:
    int64_t began_ns_ = 0;
    int64_t ended_ns_ = 0;  // of its last burst; 0: there was none
    int64_t held_ns_ = 0;
    int64_t rest_ns_ = 0;
    int64_t bursts_ = 0;
    int64_t pauses_ns_ = 0;
};

}  // namespace xsched::dispatch
