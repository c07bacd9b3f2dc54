// A server's insides without its connections, for requests of tools: the scheduling thread, the accounts, and two
// clients of different users, each with a queue. Each input has its own, but for what takes long to make: the
// scheduling thread with its journal, which begins again without clients, under the usual policy. One
// thread, beside that one.
#pragma once

#include <sys/socket.h>

#include <memory>
#include <string>

#include "base/unique_fd.h"
#include "fuzz/target.h"
#include "policy/policy.h"
#include "server/tools/tools.h"
#include "support/slots.h"

namespace xsched::fuzz {

inline constexpr uid_t kOwnUid = 1000;
inline constexpr uid_t kOtherUid = 1001;
// Beyond every number that the kernel gives.
inline constexpr int32_t kOwnPid = 5'000'001;
inline constexpr int32_t kOtherPid = 5'000'002;
inline constexpr const char* kOtherName = "others-secret";

// Never destroyed: the thread runs until the process ends.
inline server::Scheduler& fuzzed_scheduler() {
    static server::Scheduler* const scheduler = [] {
        auto* made = new server::Scheduler(sched::Core(policy::find_policy("HPF")->make()), 0, true, {});
        made->start();
        return made;
    }();
    return *scheduler;
}
inline server::UseTable& fuzzed_use() {
    static auto* const table = new server::UseTable{};
    return *table;
}

class FuzzedHost {
public:
    FuzzedHost() {
        own_ = &come(1, {.pid = kOwnPid, .uid = kOwnUid, .trusted = false}, "own");
        other_ = &come(2, {.pid = kOtherPid, .uid = kOtherUid, .trusted = false}, kOtherName);
        scheduler_.run([this](dispatch::Dispatcher& dispatcher) {
            dispatcher.core().set_policy(policy::find_policy("HPF")->make());
            for (const auto& [id, client] : clients_)
                scheduler_.admit({.id = id,
                                  .pid = client->pid(),
                                  .region = &client->region(),
                                  .process = client->process(),
                                  .record = client->record(),
                                  .limits = client->user().shared(),
                                  .group = client->group(),
                                  .habits = client->habits()});
        });
    }
    ~FuzzedHost() {
        scheduler_.run([this](dispatch::Dispatcher&) {
            for (const auto& [id, client] : clients_) scheduler_.expel(id);
        });
    }
    FuzzedHost(const FuzzedHost&) = delete;
    FuzzedHost& operator=(const FuzzedHost&) = delete;

    std::string ask(uid_t uid, const std::string& request) {
        const server::Peer peer{.pid = kOwnPid, .uid = uid, .trusted = uid == 0, .administers = uid == 0};
        const int64_t now_ns = base::now_ns();
        use_.look(clients_, now_ns);
        holds_.look(clients_, now_ns);
        return server::answer_tool(host_, {peer, users_.of(peer), -1}, request);
    }
    server::Client& own() { return *own_; }
    server::Client& other() { return *other_; }
    server::Users& users() { return users_; }
    const char* policy() const { return scheduler_.policy_name(); }

private:
    server::Client& come(uint32_t id, const server::Peer& peer, const char* name) {
        auto client = std::make_unique<server::Client>(id, peer, users_.of(peer), name, peer.pid);
        int ends[2];
        demand(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0, "there are sockets");
        const base::UniqueFd theirs(ends[1]);
        client->keep(base::UniqueFd(ends[0]), {});
        demand(client->take_region(ipc::map_new_region(client->file(), id, getpid())), "there is memory");
        test::make_slot(client->region(), 0, 0x10 + id, uint64_t{kDeviceTypeGPU} << 32 | 1, 0, base::kMillisecond);
        return *clients_.emplace(id, std::move(client)).first->second;
    }

    server::Options options_;
    int64_t started_ns_ = base::now_ns();
    server::Users users_{"/nowhere"};
    server::Identities identities_;
    server::Cgroups cgroups_{server::GroupView(true, "", {"/nowhere"})};
    server::RuleBook rules_;
    server::Checkpoint checkpoint_{nullptr};
    server::Scheduler& scheduler_ = fuzzed_scheduler();
    std::map<uint32_t, std::unique_ptr<server::Client>> clients_;
    server::DeviceUse use_{&fuzzed_use()};
    server::HoldBook holds_{scheduler_.holds()};
    server::GoneClients gone_;
    server::OrderNotes notes_;
    server::Returning returning_{nullptr, started_ns_};
    server::DeviceNumbers devices_;
    server::DriverQueues driver_queues_{"/nowhere"};
    server::KeptOrders orders_{checkpoint_};
    server::HabitBook habits_;
    server::PromiseBook promises_;
    server::StoppedLooks stopped_looks_{{}};
    server::ToolHost host_{.options = options_,
                           .started_ns = started_ns_,
                           .clients = clients_,
                           .scheduler = scheduler_,
                           .users = users_,
                           .identities = identities_,
                           .cgroups = cgroups_,
                           .rules = rules_,
                           .checkpoint = checkpoint_,
                           .use = use_,
                           .holds = holds_,
                           .habits = habits_,
                           .promises = promises_,
                           .gone = gone_,
                           .devices = devices_,
                           .driver_queues = driver_queues_,
                           .orders = orders_,
                           .notes = notes_,
                           .returning = returning_,
                           .stopped = stopped_looks_,
                           .expect = [](const server::Peer&, int, server::User&) { return true; },
                           .announced = [] { return std::vector<server::ToolHost::Announced>{}; }};
    server::Client* own_ = nullptr;
    server::Client* other_ = nullptr;
};

}  // namespace xsched::fuzz
