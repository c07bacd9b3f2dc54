// Clients between their hello and the seal of their memory. First the memory is mapped, then the client gets it, then
// the file is sealed. Before the seal the peer can punch holes into the file: a thread that touches the memory would
// then block in a page fault. So no thread of the server touches it.
#include <cstring>

#include "base/clock.h"
#include "base/log.h"
#include "server/clients/handshake.h"
#include "server/clients/incoming.h"
#include "server/rules/process_facts.h"
#include "server/server.h"
#include "server/source.h"

namespace xsched::server {
namespace {

// Returns whether the client says that it has mapped its memory.
bool says_mapped(const Client& client) {
    ipc::Mapped mapped{};
    char packet[sizeof(mapped) + 1];
    if (ipc::receive_packet(client.socket(), packet, sizeof(packet), nullptr, 0) != sizeof(mapped)) return false;
    memcpy(&mapped, packet, sizeof(mapped));
    return mapped.magic == ipc::kMagic && mapped.version == ipc::kVersion && mapped.bytes == sizeof(mapped) &&
           mapped.client_id == client.id();
}

}  // namespace

// Welcomes the client. `region`: null if there is no memory. `facts`: of its process, for rules.
void Server::welcome(uint32_t id, ipc::Region* region, const std::string& facts, int64_t now_ns) {
    Client& client = *welcomed_.find(id)->second.client;
    if (region == nullptr || !client.take_region(region)) {
        send_refusal(client.socket(), ipc::WelcomeStatus::kNoMemory);
        return drop_welcomed(id, "cannot be served, since there is no memory for it", now_ns);
    }
    if (!apply_rules(client, facts, now_ns)) {
        send_refusal(client.socket(), ipc::WelcomeStatus::kNever);
        return drop_welcomed(id, nullptr, now_ns);
    }
    orders_.give(client);
    client.header().memory_joint_limit.store(
        dispatch::joint_memory_limit(client.user().shared().get(), client.group().get()));
    if (!client.welcome() || !events_.watch(client.socket(), token(Source::kWelcomed, id)))
        return drop_welcomed(id, nullptr, now_ns);
    if (client.pid_fd() >= 0) events_.watch(client.pid_fd(), token(Source::kClientEnd, id));
}

// Gives the client what rules say. A person's orders for it come later and count more. Returns false if it is never to
// be scheduled.
bool Server::apply_rules(Client& client, const std::string& facts, int64_t now_ns) {
    if (!rules_.has_any(client.peer().uid)) return true;
    config::Program program = program_of(facts, client.program());
    program.uid = client.peer().uid;
    program.cgroup = client.cgroup();
    const config::Given given = rules_.given(client.peer().uid, program);
    if (!given.fits_any) return true;
    if (given.never) {
        if (client.user().may_log(now_ns))
            XLOG_INFO("pid %d (%s) is never scheduled (%s)", client.pid(), client.program().c_str(),
                      given.never_place.c_str());
        return false;
    }
    write_rules(client.header(), given);
    client.group()->rule_priority.store(given.highest_priority);
    if (const std::string text = text_of(given); !text.empty() && client.user().may_log(now_ns))
        XLOG_INFO("pid %d (%s) gets %s by rule, unless it asks for another", client.pid(), client.program().c_str(),
                  text.c_str());
    return true;
}

void Server::hear_welcomed(uint32_t id, int64_t now_ns) {
    const auto found = welcomed_.find(id);
    if (found == welcomed_.end() || found->second.said_so) return;
    Client& client = *found->second.client;
    switch (look_at_incoming(client.socket())) {
        case Incoming::kNothing: return events_.rearm(client.socket(), token(Source::kWelcomed, id));
        case Incoming::kEnd: return drop_welcomed(id, nullptr, now_ns);
        case Incoming::kDescriptors: return drop_welcomed(id, "sent descriptors where none are expected", now_ns);
        case Incoming::kPlain: break;
    }
    if (!says_mapped(client)) return drop_welcomed(id, "sent what is not expected in the handshake", now_ns);
    found->second.said_so = true;
    undertaker_.seal(client.user().uid(), client.file(), id);
}

void Server::serve_sealed(uint32_t id, bool sealed, int64_t now_ns) {
    if (!sealed) return drop_welcomed(id, "changes its memory, or has sealed it, before it is served", now_ns);
    const auto found = welcomed_.find(id);
    std::unique_ptr<Client> client = std::move(found->second.client);
    welcomed_.erase(found);
    if (client->user().may_log(now_ns))
        XLOG_INFO("client %u: %s (pid %d), %s", id, client->program().c_str(), client->pid(),
                  name_of(client->peer()).c_str());
    client->give_file().reset();
    client->header().served.store(1);
    coming_.push_back(id);
    if (!client->knows_cgroup()) ungrouped_.push_back(id);
    note_arrival(*client);
    events_.rearm(client->socket(), token(Source::kClient, id));
    clients_.emplace(id, std::move(client));
}

// Drops a client. `why`: what it did, for the log; null: it has left.
void Server::drop_welcomed(uint32_t id, const char* why, int64_t now_ns) {
    const auto found = welcomed_.find(id);
    std::unique_ptr<Client> client = std::move(found->second.client);
    welcomed_.erase(found);
    events_.forget(client->socket());
    if (client->pid_fd() >= 0) events_.forget(client->pid_fd());
    if (why != nullptr && client->user().may_log(now_ns))
        XLOG_INFO("pid %d, %s, %s: disconnected", client->pid(), name_of(client->peer()).c_str(), why);
    undertaker_.cancel(client->user().uid(), id);
    bury(std::move(client));
}

// Drops clients that took too long: they never said that they mapped their memory, or they prevent the seal.
void Server::drop_unmapped(int64_t now_ns) {
    while (!welcomed_.empty() && now_ns >= welcomed_.begin()->second.deadline_ns) {
        const Welcomed& late = welcomed_.begin()->second;
        const char* const why = !late.client->has_region() ? "waits for its memory for too long"
                                : late.said_so             ? "keeps its memory from being sealed"
                                                           : "did not map its memory in time";
        drop_welcomed(welcomed_.begin()->first, why, now_ns);
    }
}

}  // namespace xsched::server
