#include "sched/pattern/gang.h"

#include <algorithm>

namespace xsched::sched {

uint64_t precedence(const Gang& gang, int64_t now_ns) {
    const auto mix = [](uint64_t number) {  // splitmix64
        number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9U;
        number = (number ^ number >> 27) * 0x94d049bb133111ebU;
        return number ^ number >> 31;
    };
    const uint64_t period = static_cast<uint64_t>(now_ns / kLookAtAllNs) * 0x9e3779b97f4a7c15U;
    return mix(mix(gang.key.user + period) ^ static_cast<uint64_t>(gang.key.name));
}

void Gang::choose_lead(int64_t now_ns) {
    // Another device becomes the lead once it is this many times as crowded: each change has all devices decided again.
    constexpr double kClearly = 1.25;
    const auto crowd_at = [&](size_t at) { return places[at].vote != Vote::kAbsent ? places[at].crowd.at(now_ns) : 0; };
    double most = lead ? crowd_at(*lead) * kClearly : 0;
    if (most < Crowd::kSomebody / 2) {
        lead.reset();
        most = Crowd::kSomebody / 2;
    }
    for (size_t at = 0; at < places.size(); ++at) {
        const double crowd = crowd_at(at);
        if (crowd <= most) continue;
        most = crowd;
        lead = at;
    }
}

GangOrder Gang::order_for(const GangPlace& place, int64_t now_ns) const {
    GangOrder order{.priority = place.priority, .turn_until_ns = turn_until_ns > now_ns ? turn_until_ns : 0};
    bool refused = false;  // anywhere
    for (const GangPlace& other : places) {
        order.priority = std::max(order.priority, other.priority);
        order.preemptible |= other.strangers;
        if (other.vote != Vote::kNo && other.vote != Vote::kStopped) continue;
        refused = true;
        if (&other == &place && other.vote == Vote::kNo) continue;  // the policy itself keeps them off
        order.suspended = true;
        order.by_will |= other.vote == Vote::kStopped;
    }
    if (refused || !lead) return order;
    order.runs = places[*lead].vote == Vote::kRuns;
    order.suspended = !order.runs && &place != &places[*lead];
    return order;
}

}  // namespace xsched::sched
