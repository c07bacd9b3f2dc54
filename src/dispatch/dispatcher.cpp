#include "dispatch/dispatcher.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/time.h"
#include "dispatch/dispatcher_state.h"

namespace xsched::dispatch {

ClientSlots* DispatcherState::find(uint32_t id) {
    const auto found = by_id.find(id);
    return found == by_id.end() ? nullptr : found->second;
}

Dispatcher::Dispatcher(sched::Core core) : state_(std::make_unique<DispatcherState>(std::move(core))) {}
Dispatcher::~Dispatcher() = default;

bool Dispatcher::has_several_users() const { return state_->several_users; }
// Counts a client of this user that came or left.
void DispatcherState::count_user(const UserLimits* user, int change) {
    const auto found = clients_of.try_emplace(user, 0).first;
    found->second += change;
    if (found->second == 0) clients_of.erase(found);
    several_users = clients_of.size() > 1;
}

sched::Core& Dispatcher::core() { return state_->core; }

void Dispatcher::add_client(const ClientView& client) {
    DispatcherState& state = *state_;
    if (client.region == nullptr || state.find(client.id) != nullptr) {
        XLOG_WARN("client %u (pid %d) has no memory or is known already: it is not scheduled", client.id, client.pid);
        return;
    }
    state.clients.push_back(std::make_unique<ClientSlots>(client, state.units));
    state.by_id.emplace(client.id, state.clients.back().get());
    for (ClientList* list : state.lists()) list->make_room(state.clients.size());
    state.looks.make_room(state.clients.size());
    state.to_scan.add(*state.clients.back());
    state.count_user(client.limits.get(), 1);
}

void Dispatcher::remove_client(uint32_t id) {
    DispatcherState& state = *state_;
    ClientSlots* client = state.find(id);
    if (client == nullptr) return;
    client->let_go(state.last_ns);
    state.attribute_delays(*client);
    state.settle_suspended();  // settle before its account is closed
    if (client->delays().caused_ns() > 0) {
        XLOG_DEBG("pid %d leaves the scheduler; its work delayed that of others by %.3f ms in all", client->view().pid,
                  base::milliseconds(client->delays().caused_ns()));
    }
    for (ClientList* list : state.lists()) list->remove(*client);
    state.looks.remove(*client);
    state.shared_waits.gone(*client);
    state.by_id.erase(id);
    state.count_user(client->view().limits.get(), -1);
    const auto known = std::find_if(state.clients.begin(), state.clients.end(),
                                    [client](const auto& other) { return other.get() == client; });
    std::swap(*known, state.clients.back());
    state.clients.pop_back();
}

// Settles the delays of all suspended clients, once between two passes, however many clients leave.
void DispatcherState::settle_suspended() {
    if (std::exchange(suspended_settled_ns, last_ns) == last_ns) return;
    for (ClientSlots* victim : suspended) {
        victim->settle_delays(last_ns);
        attribute_delays(*victim);
    }
}

bool Dispatcher::set_suspended_by_person(uint32_t client_id, uint64_t handle, bool suspended) {
    ClientSlots* client = state_->find(client_id);
    if (client == nullptr || !client->set_suspended_by_person(handle, suspended)) return false;
    state_->to_scan.add(*client);
    return true;
}

bool Dispatcher::keep_memory_away(uint32_t client_id, bool away) {
    ClientSlots* client = state_->find(client_id);
    if (client == nullptr) return false;
    client->keep_memory_away(away);
    state_->to_scan.add(*client);
    return true;
}

void Dispatcher::act_for(uint32_t client_id, std::vector<uint64_t> devices) {
    ClientSlots* client = state_->find(client_id);
    if (client == nullptr) return;
    client->act_for(std::move(devices));
    state_->to_scan.add(*client);
}

void Dispatcher::look_at(uint32_t client_id) {
    if (ClientSlots* client = state_->find(client_id)) state_->to_scan.add(*client);
}

int64_t Dispatcher::pass(int64_t now_ns) {
    for (const auto& client : state_->clients) state_->to_scan.add(*client);
    return state_->pass(now_ns, true);
}

int64_t Dispatcher::pass(int64_t now_ns, std::span<const uint32_t> rung) {
    for (const uint32_t id : rung) {
        ClientSlots* client = state_->find(id);
        if (client == nullptr) continue;
        state_->to_scan.add(*client);
        state_->few_rang |= client->slots() <= kFewQueues;
        state_->charge_ring(*client, now_ns);
    }
    return state_->pass(now_ns, false);
}

void Dispatcher::measure_with(int64_t (*clock)()) { state_->clock = clock; }

int64_t Dispatcher::delay_caused_ns(uint32_t client_id) const {
    const ClientSlots* client = state_->find(client_id);
    return client != nullptr ? client->delays().caused_ns() : 0;
}

std::vector<Dispatcher::QueueSnapshot> Dispatcher::snapshot() const {
    std::vector<QueueSnapshot> snapshot;
    for (const auto& client : state_->clients) {
        for (uint32_t at = 0; at < client->queues().size(); ++at) {
            const QueueHistory& queue = client->queues()[at];
            if (!queue.used || !queue.scheduled) continue;
            snapshot.push_back({.client_id = client->view().id,
                                .slot = at,
                                .verdict = queue.verdict,
                                .suspended_total_ns = queue.delay.total_ns(),
                                .preemptions = queue.preemptions});
        }
    }
    return snapshot;
}

}  // namespace xsched::dispatch
