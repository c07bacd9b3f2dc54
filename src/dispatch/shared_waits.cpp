#include "dispatch/shared_waits.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "dispatch/client_slots.h"

namespace xsched::dispatch {
namespace {

// Most clients of one user; waits of further ones are ignored.
constexpr size_t kMostClients = sched::Waits::kMostProcesses;

// Keeps the most urgent of uses with equal event and process.
void keep_one_of_each(std::vector<UseUnderWay>& uses) {
    std::sort(uses.begin(), uses.end(), [](const UseUnderWay& a, const UseUnderWay& b) {
        return std::tuple(a.event, a.process, b.priority) < std::tuple(b.event, b.process, a.priority);
    });
    const auto same = [](const UseUnderWay& a, const UseUnderWay& b) {
        return a.event == b.event && a.process == b.process;
    };
    uses.erase(std::unique(uses.begin(), uses.end(), same), uses.end());
}

}  // namespace

void SharedWaits::unsettle(uint64_t id, User& user) {
    if (!std::exchange(user.unsettled, true)) unsettled_.push_back(id);
}

void SharedWaits::seen(ClientSlots& client) {
    User& user = users_[client.user()];
    if (std::find(user.clients.begin(), user.clients.end(), &client) == user.clients.end()) {
        if (user.clients.size() >= kMostClients) return;
        user.clients.push_back(&client);
    }
    unsettle(client.user(), user);
}

void SharedWaits::gone(ClientSlots& client) {
    const auto found = users_.find(client.user());
    if (found == users_.end() || std::erase(found->second.clients, &client) == 0) return;
    unsettle(found->first, found->second);
}

uint32_t SharedWaits::uses(uint64_t user) const { return users_.at(user).uses; }
const std::vector<ClientSlots*>& SharedWaits::clients(uint64_t user) const { return users_.at(user).clients; }

// Finds the edges: one from each waiting process to each process it waits for, however many events connect them.
void SharedWaits::find_edges(const std::vector<ClientSlots*>& clients) {
    keep_one_of_each(records_);
    keep_one_of_each(waits_);
    processes_.clear();
    for (const ClientSlots* client : clients) processes_.push_back(client->process());
    std::sort(processes_.begin(), processes_.end());
    const auto place = [this](uint64_t process) {
        return static_cast<size_t>(std::lower_bound(processes_.begin(), processes_.end(), process) -
                                   processes_.begin());
    };
    const size_t count = processes_.size();
    most_urgent_.assign(count * count, INT32_MIN);
    const auto by_event = [](const UseUnderWay& a, const UseUnderWay& b) { return a.event < b.event; };
    for (const UseUnderWay& wait : waits_) {
        int32_t* const of_waiter = &most_urgent_[place(wait.process) * count];
        const auto [first, last] = std::equal_range(records_.begin(), records_.end(), wait, by_event);
        for (auto record = first; record != last; ++record) {
            if (record->process == wait.process) continue;
            int32_t& priority = of_waiter[place(record->process)];
            priority = std::max(priority, wait.priority);
        }
    }
    for (size_t at = 0; at < most_urgent_.size(); ++at)
        if (most_urgent_[at] != INT32_MIN)
            edges_.push_back({processes_[at / count], processes_[at % count], most_urgent_[at]});
}

bool SharedWaits::settle(uint64_t id, sched::Waits& waits) {
    User& user = users_.at(id);
    user.unsettled = false;
    records_.clear();
    waits_.clear();
    edges_.clear();
    for (const ClientSlots* client : user.clients) client->shared_uses(records_, waits_);
    user.uses = static_cast<uint32_t>(records_.size() + waits_.size());
    find_edges(user.clients);
    const bool changed = waits.set(id, edges_);
    if (!user.clients.empty()) return changed;
    users_.erase(id);
    return false;
}

}  // namespace xsched::dispatch
