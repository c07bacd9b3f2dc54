#include "dispatch/dispatcher.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/log.h"
#include "dispatch/client.h"
#include "dispatch/means.h"
#include "dispatch/unit_table.h"

namespace xsched::dispatch {

namespace {

// While somebody waits for work that only the device reports.
constexpr int64_t kLookEveryNs = 50'000;

}  // namespace

struct Dispatcher::State {
    explicit State(sched::Core scheduler) : core(std::move(scheduler)) {}

    sched::Core core;
    std::vector<Client> clients;
    UnitTable units;
    Rivals rivals;
    int64_t last_ns = 0;
    bool told_thrown_out = false;

    Client* find(uint32_t id);
    int64_t pass_once(int64_t now_ns);
    bool began_watching();
    void blame();
    void tell_who_may_linger(int64_t now_ns);
    void tell_thrown_out();
};

Dispatcher::Dispatcher(sched::Core core) : state_(std::make_unique<State>(std::move(core))) {}
Dispatcher::~Dispatcher() = default;

sched::Core& Dispatcher::core() { return state_->core; }

Client* Dispatcher::State::find(uint32_t id) {
    const auto found =
        std::find_if(clients.begin(), clients.end(), [id](const Client& client) { return client.view().id == id; });
    return found == clients.end() ? nullptr : &*found;
}

void Dispatcher::add_client(const ClientView& client) {
    if (client.region == nullptr || state_->find(client.id) != nullptr) {
        XLOG_WARN("client %u (pid %d) has no memory or is known already: it is not scheduled", client.id, client.pid);
        return;
    }
    state_->clients.emplace_back(client);
}

void Dispatcher::remove_client(uint32_t id) {
    Client* client = state_->find(id);
    if (client == nullptr) return;
    client->let_go();
    if (client->delay_caused_ns() > 0) {
        XLOG_DEBG("pid %d leaves the scheduler; its work delayed that of others by %.3f ms in all", client->view().pid,
                  static_cast<double>(client->delay_caused_ns()) / 1e6);
    }
    state_->clients.erase(state_->clients.begin() + (client - state_->clients.data()));
}

bool Dispatcher::set_held(uint32_t client_id, uint64_t handle, bool held) {
    Client* client = state_->find(client_id);
    return client != nullptr && client->set_held(handle, held);
}

int64_t Dispatcher::pass(int64_t now_ns) {
    State& state = *state_;
    now_ns = std::max(now_ns, state.last_ns);
    int64_t wake_at_ns = state.pass_once(now_ns);
    // A client that did not know it was watched may have become ready or idle meanwhile without ringing.
    if (state.began_watching()) {
        std::atomic_thread_fence(std::memory_order_seq_cst);
        wake_at_ns = state.pass_once(now_ns);
    }
    for (Client& client : state.clients) client.ring();
    state.tell_thrown_out();
    return wake_at_ns;
}

int64_t Dispatcher::State::pass_once(int64_t now_ns) {
    units.begin_pass();
    for (Client& client : clients) client.scan(units, now_ns, last_ns);
    blame();
    last_ns = now_ns;
    const sched::Plan& plan = core.decide(units.units(), now_ns);
    rivals.observe(units.units());
    int64_t wake_at_ns = plan.wake_at_ns;
    bool polled = false;
    bool suspends = false;
    for (Client& client : clients) {
        client.direct(units, plan, rivals, now_ns);
        for (const int64_t due_ns : {client.heartbeat_due_ns(), client.look_again_ns()})
            if (due_ns != 0 && (wake_at_ns == 0 || due_ns < wake_at_ns)) wake_at_ns = due_ns;
        polled |= client.polled();
        suspends |= client.suspends();
    }
    tell_who_may_linger(now_ns);
    const int64_t look_ns = now_ns + kLookEveryNs;
    if (polled && suspends && (wake_at_ns == 0 || look_ns < wake_at_ns)) wake_at_ns = look_ns;
    return wake_at_ns;
}

// Each delay, to the account of the client that it made room for. One that makes room within itself is no other's.
void Dispatcher::State::blame() {
    for (const Client& victim : clients) {
        for (const Delay& delay : victim.delays()) {
            Client* culprit = find(units.previous_client_of(delay.by));
            if (culprit != nullptr && culprit != &victim) culprit->caused_delay(delay.ns);
        }
    }
}

void Dispatcher::State::tell_who_may_linger(int64_t now_ns) {
    for (Client& victim : clients) {
        const RoomFor room = victim.makes_room(now_ns);
        if (room.pid == 0) continue;
        for (Client& urgent : clients)
            if (urgent.view().pid == room.pid) urgent.linger(room.until_ns);
    }
}

bool Dispatcher::State::began_watching() {
    bool began = false;
    for (Client& client : clients) began |= client.began_watching();
    return began;
}

void Dispatcher::State::tell_thrown_out() {
    const char* name = core.thrown_out();
    if (name != nullptr && !told_thrown_out) {
        XLOG_WARN("policy %s let nobody with work run for a second and was replaced by HPF; choose another with xcli "
                  "policy, and report this",
                  name);
    }
    told_thrown_out = name != nullptr;
}

int64_t Dispatcher::delay_caused_ns(uint32_t client_id) const {
    const Client* client = state_->find(client_id);
    return client != nullptr ? client->delay_caused_ns() : 0;
}

std::vector<Dispatcher::QueueReport> Dispatcher::reports() const {
    std::vector<QueueReport> reports;
    for (const Client& client : state_->clients) {
        for (uint32_t at = 0; at < client.queues().size(); ++at) {
            const QueueMemory& queue = client.queues()[at];
            if (!queue.used) continue;
            reports.push_back({.client_id = client.view().id,
                               .slot = at,
                               .verdict = queue.verdict,
                               .suspended_total_ns = queue.suspended_total_ns,
                               .preemptions = queue.preemptions,
                               .means = queue.means});
        }
    }
    return reports;
}

}  // namespace xsched::dispatch
