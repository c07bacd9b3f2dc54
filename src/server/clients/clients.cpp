// Clients from their welcome to their end: receives what they hand over, and tells the scheduling thread which clients
// come and go.
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <span>

#include "base/clock.h"
#include "base/log.h"
#include "server/clients/incoming.h"
#include "server/server.h"
#include "server/source.h"

namespace xsched::server {
namespace {

constexpr int64_t kTellAgainNs = 100 * base::kMillisecond;
constexpr int64_t kReadGroupsAgainNs = base::kSecond;
constexpr int kMostGenerations = 8;
constexpr int64_t kEndedUnusedNs = 10 * base::kSecond;  // how long xcli run may ask about a program that ended; it asks
                                                        // within milliseconds
constexpr size_t kMostEndedUnused = 64;  // safety: one user's short programs cost no memory
constexpr size_t kMostTold = 16;  // most clients that one order of the scheduling thread adds or removes

}  // namespace

// Handles a packet of a client, or its end. After its Hello a client sends only handovers. End of file is the client's
// end; anything else breaks the protocol.
void Server::hear_client(uint32_t id) {
    const auto found = clients_.find(id);
    if (found == clients_.end()) return;
    Client& client = *found->second;
    switch (look_at_incoming(client.socket())) {
        case Incoming::kNothing: return events_.rearm(client.socket(), token(Source::kClient, id));
        case Incoming::kEnd: return remove_client(id);
        case Incoming::kDescriptors:  // asks for the next packet only when this one has come
            return undertaker_.receive(client.user().uid(), client.socket(), id);
        case Incoming::kPlain: break;
    }
    std::string packet(sizeof(ipc::Handover) + 1, '\0');
    const long bytes = ipc::receive_packet(client.socket(), packet.data(), packet.size(), nullptr, 0);
    packet.resize(bytes > 0 ? static_cast<size_t>(bytes) : 0);
    take_handover(client, packet, {});
}

void Server::take_parcels(int64_t now_ns) {
    for (Undertaker::Parcel& parcel : undertaker_.work(now_ns)) {
        if (parcel.token == 0) {
            desk_.has_emptied();
            continue;
        }
        const auto welcomed = welcomed_.find(parcel.token);
        if (welcomed != welcomed_.end() && !welcomed->second.client->has_region()) {
            welcome(parcel.token, parcel.region, parcel.packet, now_ns);
            continue;
        }
        if (parcel.region != nullptr) {  // the client for which it was mapped has left
            undertaker_.unmap(parcel.user, parcel.region, {}, {});
            continue;
        }
        if (welcomed != welcomed_.end()) {
            serve_sealed(parcel.token, parcel.sealed, now_ns);
            continue;
        }
        const auto found = clients_.find(parcel.token);
        if (found == clients_.end()) continue;
        if (parcel.lost)
            remove_client(parcel.token);
        else
            take_handover(*found->second, parcel.packet, std::move(parcel.fd));
    }
}

void Server::take_handover(Client& client, const std::string& packet, base::UniqueFd fd) {
    const uint32_t id = client.id();
    if (!interrupter_.take(client, packet.data(), packet.size(), std::move(fd))) {
        if (client.user().may_log(base::now_ns()))
            XLOG_WARN("client %u sent %zu bytes where nothing is expected: disconnected", id, packet.size());
        return remove_client(id);
    }
    const int32_t pid = client.pid();
    ipc::Region* region = &client.region();
    const bool done = scheduler_.run([&](dispatch::Dispatcher& dispatcher) {
        interrupter_.watch(id, pid, region);
        dispatcher.act_for(id, interrupter_.devices_of(id));
    });
    client.handed_over = client.handed_over || done;
    events_.rearm(client.socket(), token(Source::kClient, id));
}

host::DeviceCosts Server::known_costs() {
    host::DeviceCosts costs;
    if (const std::string why = host::read_device_costs(host::device_costs_path(), costs); !why.empty())
        XLOG_WARN("the costs of this machine's device are not known: %s", why.c_str());
    return costs;
}

void Server::remove_client(uint32_t id) {
    const auto found = clients_.find(id);
    if (found == clients_.end()) return;
    std::unique_ptr<Client> client = std::move(found->second);
    clients_.erase(found);
    events_.forget(client->socket());
    if (client->pid_fd() >= 0) events_.forget(client->pid_fd());
    if (client->user().may_log(base::now_ns()))
        XLOG_INFO("client %u: %s (pid %d) left", id, client->program().c_str(), client->pid());
    gone_.left(*client, base::now_ns());
    undertaker_.cancel(client->user().uid(), id);
    undertaker_.bury(client->user().uid(), client->give_socket());
    const bool untold = std::erase(coming_, id) != 0;
    if (!untold || client->handed_over)
        leaving_.push_back(std::move(client));
    else
        bury(std::move(client));
}

// Releases a client that no thread uses any more. It counts as one of its user's clients until its memory is unmapped.
void Server::bury(std::unique_ptr<Client> client) {
    std::vector<Charge> charges;
    charges.push_back(std::move(client->place));
    charges.push_back(std::move(client->descriptors));
    undertaker_.bury(client->user().uid(), client->give_socket());
    undertaker_.unmap(client->user().uid(), client->give_region(), client->give_file(), std::move(charges));
}

// Tells the scheduling thread of all clients that came or went. If the thread does not take the order, it is tried
// again later.
void Server::tell_scheduler() {
    while (!coming_.empty() || !leaving_.empty())
        if (!tell_some()) return;
}

// Tells of a few clients in one order, so that a pass for all others comes between two orders.
bool Server::tell_some() {
    const auto some_of = [](auto& all) { return std::span(all).first(std::min(all.size(), kMostTold)); };
    const auto coming = some_of(coming_);
    const auto leaving = some_of(leaving_);
    const bool told = scheduler_.run([this, coming, leaving](dispatch::Dispatcher&) {
        for (const uint32_t id : coming) {
            const Client& client = *clients_.at(id);
            scheduler_.admit({.id = id,
                              .pid = client.pid(),
                              .region = &client.region(),
                              .suspended_by_person = client.suspended_by_person,
                              .process = client.process(),
                              .shares_by_queue = options_.share_unit == "queue",
                              .record = client.record(),
                              .limits = client.user().shared(),
                              .group = client.group(),
                              .habits = client.habits(),
                              .switch_us = static_cast<uint32_t>(std::lround(device_costs_.of("switch_us")))});
        }
        for (const auto& client : leaving) {
            interrupter_.unwatch(client->id());
            scheduler_.expel(client->id());
        }
    });
    tell_again_ns_ = told ? 0 : base::now_ns() + kTellAgainNs;
    if (!told) return false;
    for (const uint32_t id : coming) checkpoint_.client_came(id, clients_.at(id)->pid(), base::now_ns());
    keep_habits(leaving, base::now_ns());
    keep_score(leaving);
    for (const auto& client : leaving) {
        interrupter_.release(client->id());
        client->header().detached.store(1);
        ipc::ring_directive(client->header());
    }
    coming_.erase(coming_.begin(), coming_.begin() + static_cast<std::ptrdiff_t>(coming.size()));
    for (auto& client : leaving) bury(std::move(client));
    leaving_.erase(leaving_.begin(), leaving_.begin() + static_cast<std::ptrdiff_t>(leaving.size()));
    return true;
}

// Keeps the habits of clients that leave. The checkpoint is not written for each one, since programs may come and go
// all the time.
void Server::keep_habits(std::span<const std::unique_ptr<Client>> leaving, int64_t now_ns) {
    bool noted = false;
    for (const auto& client : leaving)
        noted |=
            habits_.note(client->user().uid(), client->program(), client->habits()->now, shown_work(*client->record()));
    if (!noted || (kept_habits_ns_ != 0 && now_ns - kept_habits_ns_ < base::kSecond)) return;
    kept_habits_ns_ = now_ns;
    checkpoint_.note(kHabits, habits_.to_json());
}

// Keeps how punctual the clients were to which a promise was made.
void Server::keep_score(std::span<const std::unique_ptr<Client>> leaving) {
    bool noted = false;
    for (const auto& client : leaving) noted |= promises_.left(client->id(), punctuality_of(*client->record()));
    if (noted) checkpoint_.note(kPromises, promises_.to_json());
}

// Notes a process that will become a client. However often it is announced, it takes one place.
bool Server::expect(const Peer& peer, int connection, User& user) {
    Expected expected{open_process(connection, peer), {}, {}, user.uid(), 0};
    struct stat info{};
    if (!expected.process || fstat(expected.process.get(), &info) != 0) return false;
    expected.number = info.st_ino;
    const bool distinct = peer.pid > 0;
    if (distinct) expected.number = static_cast<uint64_t>(peer.pid);
    for (const auto& [id, known] : expected_)
        if (distinct && known.user == expected.user && known.number == expected.number) return true;
    auto place = user.charge(Limit::kExpected);
    auto descriptors = user.charge(Limit::kDescriptors);
    if (!place || !descriptors) return false;
    expected.place = std::move(*place);
    expected.descriptors = std::move(*descriptors);
    expected.pid = peer.pid;
    const uint32_t id = fresh_id();
    if (!events_.watch(expected.process.get(), token(Source::kExpected, id))) return false;
    expected_.emplace(id, std::move(expected));
    if (peer.pid > 0) checkpoint_.note_expected(peer.pid);
    return true;
}

std::vector<ToolHost::Announced> Server::announced() const {
    std::vector<ToolHost::Announced> there;
    for (const auto& [id, known] : expected_)
        if (known.pid > 0 && !known.came) there.push_back({known.pid, known.user});
    return there;
}

std::vector<ToolHost::Announced> Server::ended_unused() const {
    std::vector<ToolHost::Announced> lately;
    for (const EndedUnused& one : ended_unused_)
        if (base::now_ns() - one.ended_ns < kEndedUnusedNs) lately.push_back(one.program);
    return lately;
}

// Notes that an announced process has come: the client itself, or the announced ancestor that started it (a shell, for
// example).
void Server::note_arrival(const Client& client) {
    if (expected_.empty() || client.pid_is_claimed()) return;
    pid_t pid = client.pid();
    for (int generation = 0; pid > 1 && generation < kMostGenerations; ++generation, pid = parent_of(pid)) {
        promises_.came(pid, client.id());
        for (auto& [id, known] : expected_)
            if (known.pid == pid) known.came = true;
    }
}

// Reads again the control groups of clients whose group could not be read in time when they came. Until then their
// users' settings hold.
void Server::read_groups(int64_t now_ns) {
    if (ungrouped_.empty() || now_ns < groups_due_ns_) return;
    groups_due_ns_ = now_ns + kReadGroupsAgainNs;
    std::vector<uint32_t> changed;
    std::erase_if(ungrouped_, [&](uint32_t id) {
        const auto found = clients_.find(id);
        if (found == clients_.end()) return true;
        Client& client = *found->second;
        client.read_cgroup();
        if (client.knows_cgroup() && cgroups_.tell(client.cgroup(), *client.group())) changed.push_back(id);
        return client.knows_cgroup();
    });
    if (changed.empty()) return;
    scheduler_.run([&changed](dispatch::Dispatcher& dispatcher) {
        for (const uint32_t id : changed) dispatcher.look_at(id);
    });
}

void Server::end_expectation(uint32_t id) {
    const auto found = expected_.find(id);
    if (found == expected_.end()) return;
    const Expected& known = found->second;
    User* user = users_.find(known.user);
    if (known.pid > 0 && !known.came && user != nullptr && user->may_log(base::now_ns()))
        XLOG_INFO(
            "pid %d, which 'xcli run' started, has ended: neither it nor what it started used a device under XSched",
            known.pid);
    if (known.pid > 0 && !known.came) {
        ended_unused_.push_back({{known.pid, known.user}, base::now_ns()});
        if (ended_unused_.size() > kMostEndedUnused) ended_unused_.pop_front();
    }
    if (promises_.ended(known.pid)) checkpoint_.note(kPromises, promises_.to_json());
    expected_.erase(found);
}

// Suspends again the programs that were suspended when the earlier server crashed.
void Server::suspend_again(int64_t now_ns) {
    scheduler_.run([&](dispatch::Dispatcher& dispatcher) {
        checkpoint_.suspend_again(
            [&](const Checkpoint::Wanted& one) {
                if (!one.memory) return dispatcher.set_suspended_by_person(one.client, one.queue, true);
                if (!one.by_driver && !dispatcher.keep_memory_away(one.client, true)) return false;
                const auto client = clients_.find(one.client);
                if (client == clients_.end()) return false;
                client->second->memory_sent_away = true;
                client->second->memory_by_driver = one.by_driver;
                return true;
            },
            now_ns);
    });
}

}  // namespace xsched::server
