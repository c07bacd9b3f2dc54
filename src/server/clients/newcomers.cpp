// Connections before they are clients or tools: accepts, counts, admits or refuses them.
#include <cerrno>
#include <cstring>
#include <exception>

#include "base/clock.h"
#include "base/log.h"
#include "server/clients/incoming.h"
#include "server/server.h"
#include "server/source.h"

namespace xsched::server {
namespace {

constexpr int64_t kHelloPatienceNs = base::kSecond;
// Longest time from the hello to the seal. "Safety": both take a millisecond, but a machine under load may stop a
// program for seconds.
constexpr int64_t kSealPatienceNs = 5 * base::kSecond;
constexpr int64_t kAcceptRetryNs = 100 * base::kMillisecond;
constexpr size_t kMostBacklog = 1024;
constexpr int64_t kBacklogRetryNs = 10 * base::kMillisecond;
constexpr int kMostAtOnce = 64;        // most connections that are accepted before other events are served
constexpr int64_t kConnectionFds = 3;  // descriptors of one connection: itself, its process, and the file of its memory

std::string versions_text(const Handshake& handshake) {
    const bool older = handshake.version < ipc::kVersion;
    return "it speaks protocol " + std::to_string(handshake.version) + ", which is " + (older ? "older" : "newer") +
           " than " + std::to_string(ipc::kVersion) + " of this server: " +
           (older ? "update its XSched libraries and start it again" : "update xserver and restart it");
}

}  // namespace

void Server::accept_newcomers(int64_t now_ns) {
    accept_again_ns_ = 0;
    if (undertaker_.backlog() >= kMostBacklog) {  // connections come faster than they can be closed
        accept_again_ns_ = now_ns + kBacklogRetryNs;
        return;
    }
    for (Listener& listener : listeners_)
        if (!accept_some(listener, now_ns)) return;
}

bool Server::accept_some(Listener& listener, int64_t now_ns) {
    bool refused = false;
    for (int count = 0; count < kMostAtOnce; ++count) {
        base::UniqueFd socket = listener.accept(&refused);
        if (!socket) break;
        take_in(std::move(socket), &listener != &listeners_.front(), now_ns);
    }
    if (refused) {
        XLOG_WARN("cannot accept a connection (%s): trying again; raise the limit of open files", strerror(errno));
        accept_again_ns_ = now_ns + kAcceptRetryNs;
        return false;
    }
    events_.rearm(listener.fd(), token(Source::kListener));
    return true;
}

void Server::take_in(base::UniqueFd socket, bool guest, int64_t now_ns) {
    Peer peer;
    peer.guest = guest;
    if (!identify(socket.get(), trusted_group_, &peer)) return undertaker_.bury(0, std::move(socket));
    identities_.settle(peer);
    User& user = users_.of(peer);
    Newcomer newcomer{std::move(socket), peer, &user, {}, {}, now_ns + kHelloPatienceNs};
    auto silent = user.charge(Limit::kSilent);
    auto descriptors = user.charge(Limit::kDescriptors, kConnectionFds);
    const bool full = !silent || !descriptors || undertaker_.refuses(user.uid());
    const uint32_t id = fresh_id();
    if (full || !events_.watch(newcomer.socket.get(), token(Source::kNewcomer, id)))
        return refuse(newcomer, ipc::WelcomeStatus::kUserFull, now_ns);
    newcomer.silent = std::move(*silent);
    newcomer.descriptors = std::move(*descriptors);
    newcomers_.emplace(id, std::move(newcomer));
}

void Server::answer_handshake(uint32_t id, int64_t now_ns) {
    const auto found = newcomers_.find(id);
    if (found == newcomers_.end()) return;
    const int socket = found->second.socket.get();
    const Incoming incoming = look_at_incoming(socket);
    if (incoming == Incoming::kNothing) return events_.rearm(socket, token(Source::kNewcomer, id));
    Newcomer newcomer = std::move(found->second);
    newcomers_.erase(found);
    events_.forget(socket);
    newcomer.silent.release();
    if (incoming == Incoming::kEnd)  // the peer only checked whether a server is here
        return undertaker_.bury(newcomer.user->uid(), std::move(newcomer.socket));
    if (incoming == Incoming::kDescriptors) return refuse(newcomer, ipc::WelcomeStatus::kBadHello, now_ns);
    char packet[sizeof(ipc::Hello) + 1];
    const long bytes = ipc::receive_packet(socket, packet, sizeof(packet), nullptr, 0);
    const Handshake handshake =
        judge_hello(packet, bytes > 0 ? static_cast<size_t>(bytes) : 0, newcomer.peer, options_.scope);
    judge(id, std::move(newcomer), handshake, now_ns);
}

void Server::judge(uint32_t id, Newcomer newcomer, const Handshake& handshake, int64_t now_ns) {
    if (handshake.status == ipc::WelcomeStatus::kWrongVersion)
        return refuse(newcomer, handshake.status, now_ns, versions_text(handshake));
    if (handshake.status != ipc::WelcomeStatus::kAccepted) return refuse(newcomer, handshake.status, now_ns);
    if (handshake.kind == ipc::PeerKind::kClient) return admit_client(id, newcomer, handshake, now_ns);
    const uid_t user = newcomer.user->uid();
    const auto status =
        desk_.admit(id, newcomer.socket, newcomer.peer, *newcomer.user, std::move(newcomer.descriptors), now_ns);
    if (status != ipc::WelcomeStatus::kAccepted) return refuse(newcomer, status, now_ns);
    if (newcomer.socket) undertaker_.bury(user, std::move(newcomer.socket));  // gone already
}

void Server::refuse(Newcomer& newcomer, ipc::WelcomeStatus status, int64_t now_ns, const std::string& why) {
    if (newcomer.user->may_log(now_ns))
        XLOG_INFO("%s is not let in: %s", name_of(newcomer.peer).c_str(),
                  why.empty() ? ipc::welcome_sentence(status) : why.c_str());
    send_refusal(newcomer.socket.get(), status);
    undertaker_.bury(newcomer.user->uid(), std::move(newcomer.socket));
}

void Server::admit_client(uint32_t id, Newcomer& newcomer, const Handshake& handshake, int64_t now_ns) {
    User& user = *newcomer.user;
    auto place = user.charge(Limit::kClients);
    if (!place) return refuse(newcomer, ipc::WelcomeStatus::kUserFull, now_ns);
    std::unique_ptr<Client> client;
    try {
        client = std::make_unique<Client>(id, newcomer.peer, user, handshake.program, handshake.pid);
    } catch (const std::exception& error) {  // no descriptors left, or files may not be as large (ulimit -f)
        if (user.may_log(now_ns)) XLOG_WARN("pid %d cannot be served: %s", newcomer.peer.pid, error.what());
        return refuse(newcomer, ipc::WelcomeStatus::kNoMemory, now_ns);
    }
    base::UniqueFd process = open_process(newcomer.socket.get(), newcomer.peer);
    cgroups_.tell(client->cgroup(), *client->group());
    client->place = std::move(*place);
    client->descriptors = std::move(newcomer.descriptors);
    client->habits()->last_run = habits_.of(user.uid(), client->program());
    client->keep(std::move(newcomer.socket), std::move(process));
    undertaker_.map(user.uid(), client->file(), id, rules_.has_any(client->peer().uid) ? client->peer().pid : 0);
    welcomed_.emplace(id, Welcomed{std::move(client), now_ns + kSealPatienceNs});
}

// Drops newcomers that have said nothing for too long. Reads first what they have sent meanwhile: the server itself may
// be late.
void Server::drop_silent_newcomers(int64_t now_ns) {
    while (!newcomers_.empty() && now_ns >= newcomers_.begin()->second.deadline_ns) {
        const uint32_t id = newcomers_.begin()->first;
        answer_handshake(id, now_ns);
        const auto found = newcomers_.find(id);
        if (found == newcomers_.end()) continue;
        Newcomer newcomer = std::move(found->second);
        newcomers_.erase(found);
        events_.forget(newcomer.socket.get());
        if (newcomer.user->may_log(now_ns))
            XLOG_INFO("pid %d connected and said nothing for a second: disconnected", newcomer.peer.pid);
        undertaker_.bury(newcomer.user->uid(), std::move(newcomer.socket));
    }
}

}  // namespace xsched::server
