#include "sched/waits.h"

#include <algorithm>

namespace xsched::sched {

bool Waits::set(uint64_t user, std::vector<WaitEdge>& edges) {
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    before_.clear();
    for (const Edge& edge : edges_)
        if (edge.user == user) before_.push_back(edge);
    if (before_ == edges) return false;
    std::erase_if(edges_, [user](const Edge& edge) { return edge.user == user; });
    for (const WaitEdge& edge : edges) edges_.push_back({edge, user});
    close();
    lend();
    return true;
}

// Everybody that can be reached, each process once: a circle ends where it began.
void Waits::close() {
    reaches_.clear();
    std::vector<uint64_t> from;
    for (const Edge& edge : edges_) from.push_back(edge.waiter);
    std::sort(from.begin(), from.end());
    from.erase(std::unique(from.begin(), from.end()), from.end());
    for (const uint64_t waiter : from) {
        const size_t first = reaches_.size();
        const auto add = [&](uint64_t through) {
            for (const Edge& edge : edges_) {
                const Reach reach{waiter, edge.producer};
                if (edge.waiter != through) continue;
                if (std::find(reaches_.begin() + static_cast<ptrdiff_t>(first), reaches_.end(), reach) ==
                    reaches_.end())
                    reaches_.push_back(reach);
            }
        };
        add(waiter);
        for (size_t next = first; next < reaches_.size(); ++next) add(reaches_[next].producer);
    }
    std::sort(reaches_.begin(), reaches_.end());
}

void Waits::lend() {
    lent_.clear();
    const auto raise = [this](uint64_t process, int32_t priority) {
        const auto known =
            std::find_if(lent_.begin(), lent_.end(), [&](const Lent& it) { return it.process == process; });
        if (known == lent_.end())
            lent_.push_back({process, priority});
        else
            known->priority = std::max(known->priority, priority);
    };
    for (const Edge& edge : edges_) {
        raise(edge.producer, edge.priority);
        for (const Reach& reach : reaches_)
            if (reach.waiter == edge.producer) raise(reach.producer, edge.priority);
    }
}

int32_t Waits::lent_to(uint64_t process) const {
    const auto known = std::find_if(lent_.begin(), lent_.end(), [&](const Lent& it) { return it.process == process; });
    return known != lent_.end() ? known->priority : INT32_MIN;
}

bool Waits::waits_for(uint64_t waiter, uint64_t producer) const {
    return std::binary_search(reaches_.begin(), reaches_.end(), Reach{waiter, producer});
}

void Waits::run_for_waiting(Pass& pass) {
    DeviceHistory& device = pass.device;
    running_.clear();
    for (uint32_t place = 0; place < device.eligible.size(); ++place)
        if (device.answers[place].run && device.asked[place].wants) running_.push_back(device.asked[place].process);
    std::sort(running_.begin(), running_.end());
    for (uint32_t place = 0; place < device.eligible.size(); ++place) {
        policy::Choice& answer = device.answers[place];
        const uint64_t process = device.asked[place].process;
        if (answer.run || answer.why == policy::Why::kLimited || lent_to(process) == INT32_MIN) continue;
        for (const Reach& reach : reaches_)
            if (reach.producer == process && std::binary_search(running_.begin(), running_.end(), reach.waiter)) {
                answer = {.run = true};
                break;
            }
    }
}

}  // namespace xsched::sched
