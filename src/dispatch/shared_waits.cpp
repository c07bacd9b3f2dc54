#include "dispatch/shared_waits.h"

#include <algorithm>
#include <utility>

#include "dispatch/client_slots.h"

namespace xsched::dispatch {
namespace {

constexpr size_t kMostClients = 64;  // of one user; what others wait for is not seen

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

bool SharedWaits::settle(uint64_t id, sched::Waits& waits) {
    User& user = users_.at(id);
    user.unsettled = false;
    records_.clear();
    waits_.clear();
    edges_.clear();
    for (const ClientSlots* client : user.clients) client->shared_uses(records_, waits_);
    user.uses = static_cast<uint32_t>(records_.size() + waits_.size());
    const auto by_event = [](const UseUnderWay& a, const UseUnderWay& b) { return a.event < b.event; };
    std::sort(records_.begin(), records_.end(), by_event);
    for (const UseUnderWay& wait : waits_) {
        const auto [first, last] = std::equal_range(records_.begin(), records_.end(), wait, by_event);
        for (auto record = first; record != last; ++record)
            if (record->process != wait.process) edges_.push_back({wait.process, record->process, wait.priority});
    }
    const bool changed = waits.set(id, edges_);
    if (!user.clients.empty()) return changed;
    users_.erase(id);
    return false;
}

}  // namespace xsched::dispatch
