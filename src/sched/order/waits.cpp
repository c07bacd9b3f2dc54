#include "sched/order/waits.h"

#include <algorithm>

namespace xsched::sched {

bool Waits::set(uint64_t user, std::vector<WaitEdge>& edges) {
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    const auto known =
        std::find_if(groups_.begin(), groups_.end(), [user](const Group& group) { return group.user == user; });
    if (known == groups_.end() ? edges.empty() : known->edges == edges) return false;
    if (edges.empty()) {
        groups_.erase(known);
    } else {
        Group& group = known != groups_.end() ? *known : groups_.emplace_back(Group{.user = user});
        group.edges = edges;
        group.close();
        group.lend();
    }
    index();
    return true;
}

size_t Waits::Group::find(uint64_t process) const {
    const auto found = std::lower_bound(processes.begin(), processes.end(), process);
    return found != processes.end() && *found == process ? static_cast<size_t>(found - processes.begin()) : SIZE_MAX;
}

// Completes the sets with processes reached through others (Warshall, 1962).
void Waits::Group::close() {
    processes.clear();
    for (const WaitEdge& edge : edges) {
        processes.push_back(edge.waiter);
        processes.push_back(edge.producer);
    }
    std::sort(processes.begin(), processes.end());
    processes.erase(std::unique(processes.begin(), processes.end()), processes.end());
    if (processes.size() > kMostProcesses) processes.resize(kMostProcesses);
    waiters.fill(0);
    for (const WaitEdge& edge : edges) {
        const size_t waiter = find(edge.waiter);
        const size_t producer = find(edge.producer);
        if (waiter != SIZE_MAX && producer != SIZE_MAX) waiters[producer] |= Set{1} << waiter;
    }
    for (size_t through = 0; through < processes.size(); ++through)
        for (Set& of_one : waiters)
            if ((of_one >> through & 1) != 0) of_one |= waiters[through];
}

// Lends a process's priority to all processes that it waits for.
void Waits::Group::lend() {
    std::array<int32_t, kMostProcesses> by_itself;
    by_itself.fill(INT32_MIN);
    for (const WaitEdge& edge : edges)
        if (const size_t producer = find(edge.producer); producer != SIZE_MAX && find(edge.waiter) != SIZE_MAX)
            by_itself[producer] = std::max(by_itself[producer], edge.priority);
    lent = by_itself;
    for (size_t producer = 0; producer < processes.size(); ++producer)
        for (size_t waiter = 0; waiter < processes.size(); ++waiter)
            if ((waiters[producer] >> waiter & 1) != 0) lent[producer] = std::max(lent[producer], by_itself[waiter]);
}

void Waits::index() {
    members_.clear();
    for (uint32_t group = 0; group < groups_.size(); ++group)
        for (uint32_t at = 0; at < groups_[group].processes.size(); ++at)
            members_.push_back({groups_[group].processes[at], group, at});
    std::sort(members_.begin(), members_.end());
}

const Waits::Member* Waits::find(uint64_t process) const {
    const auto found = std::lower_bound(members_.begin(), members_.end(), Member{.process = process});
    return found != members_.end() && found->process == process ? &*found : nullptr;
}

int32_t Waits::lent_to(uint64_t process) const {
    const Member* known = find(process);
    return known != nullptr ? groups_[known->group].lent[known->at] : INT32_MIN;
}

bool Waits::waits_for(uint64_t waiter, uint64_t producer) const {
    const Member* one = find(waiter);
    const Member* other = find(producer);
    return one != nullptr && other != nullptr && one->group == other->group &&
           (groups_[one->group].waiters[other->at] >> one->at & 1) != 0;
}

void Waits::run_for_waiting(Pass& pass) {
    DeviceHistory& device = pass.device;
    for (Group& group : groups_) group.running = 0;
    for (uint32_t place = 0; place < device.eligible.size(); ++place) {
        if (!device.answers[place].run || !device.asked[place].wants) continue;
        if (const Member* known = find(device.asked[place].process))
            groups_[known->group].running |= Set{1} << known->at;
    }
    for (uint32_t place = 0; place < device.eligible.size(); ++place) {
        policy::Choice& answer = device.answers[place];
        if (answer.run || answer.why == policy::Why::kLimited) continue;
        const Member* known = find(device.asked[place].process);
        if (known != nullptr && (groups_[known->group].waiters[known->at] & groups_[known->group].running) != 0)
            answer = {.run = true};
    }
}

}  // namespace xsched::sched
