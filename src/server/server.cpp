#include "server/server.h"

#include "base/clock.h"
#include "base/log.h"
#include "policy/policy.h"
#include "server/handshake.h"
#include "server/supervisor.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

#include <sys/signalfd.h>

namespace xsched::server {
namespace {

constexpr int64_t kHelloPatienceNs = base::kSecond;
constexpr int64_t kAcceptRetryNs = 100 * base::kMillisecond;
constexpr size_t kMostClients = 4096;
constexpr size_t kMostTools = 64;
constexpr size_t kMostNewcomers = 256;

// What a token of the socket waker stands for: the kind above, an id below.
enum class Source : uint32_t { kListener = 1, kSignals, kNewcomer, kClient, kClientEnd, kTool, kExpected };

uint64_t token(Source source, uint32_t id = 0) { return uint64_t{static_cast<uint32_t>(source)} << 32 | id; }

sigset_t ending_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    return signals;
}

// Blocks them in this thread and all later ones: they come through the descriptor only.
base::UniqueFd open_signals() {
    const sigset_t signals = ending_signals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    signal(SIGPIPE, SIG_IGN);
    base::UniqueFd fd(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!fd) throw std::system_error(errno, std::generic_category(), "signalfd");
    return fd;
}

// `policy`: what a person has chosen since; empty: nothing.
dispatch::Dispatcher make_dispatcher(const Options& options, const std::string& policy) {
    sched::Settings settings;
    settings.starvation_limit_ns = options.starvation_limit_ns;
    const policy::PolicyInfo* info = policy.empty() ? nullptr : policy::find_policy(policy.c_str());
    if (info == nullptr) info = policy::find_policy(options.policy.c_str());
    return dispatch::Dispatcher(sched::Core(info->make(), settings));
}

int64_t earlier(int64_t a, int64_t b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }

}  // namespace

Server::Server(const Options& options, Listener listener)
    : options_(options),
      started_ns_(base::now_ns()),
      listener_(std::move(listener)),
      signals_(open_signals()),
      checkpoint_(options.supervised != nullptr ? &options.supervised->checkpoint : nullptr),
      dispatcher_(make_dispatcher(options, checkpoint_.policy())),
      doorbells_(waker_.word(), options.spin_ns),
      host_{options_, started_ns_, clients_, dispatcher_, checkpoint_, [this](pid_t pid) { return expect(pid); }},
      idle_since_ns_(started_ns_) {
    if (!waker_.watch(listener_.fd(), token(Source::kListener)) ||
        !waker_.watch(signals_.get(), token(Source::kSignals)))
        throw std::system_error(errno, std::generic_category(), "epoll");
    for (const pid_t pid : checkpoint_.expected()) expect(pid);
}

Server::~Server() { let_everybody_go(); }

void Server::run() {
    while (!stop_) {
        doorbells_.note_waker();
        for (const uint64_t ready : waker_.take()) handle_event(ready);
        if (accept_again_ns_ != 0 && base::now_ns() >= accept_again_ns_) accept_newcomers();
        doorbells_.note_clients();
        const int64_t now = base::now_ns();
        if (checkpoint_.due_ns() != 0) suspend_again(now);  // in force with this pass
        const int64_t planned = look_after_clients(dispatcher_.pass(now), now);
        if (options_.supervised != nullptr) options_.supervised->beat();
        drop_silent_newcomers(now);
        if (stop_ || should_leave(now)) break;
        doorbells_.sleep(next_wake(planned));
    }
    let_everybody_go();
}

void Server::handle_event(uint64_t ready) {
    const auto id = static_cast<uint32_t>(ready);
    switch (static_cast<Source>(ready >> 32)) {
        case Source::kListener:
            return accept_newcomers();
        case Source::kSignals:
            XLOG_INFO("told to end");
            stop_ = true;
            return;
        case Source::kNewcomer:
            return greet(id);
        case Source::kClient:
            return hear_client(id);
        case Source::kClientEnd:
            return remove_client(id);
        case Source::kTool:
            return serve_tool(id);
        case Source::kExpected:
            expected_.erase(id);
            return;
    }
}

void Server::accept_newcomers() {
    accept_again_ns_ = 0;
    bool refused = false;
    while (newcomers_.size() < kMostNewcomers) {
        auto connection = listener_.accept(&refused);
        if (!connection) break;
        auto& [socket, peer] = *connection;
        const uint32_t id = next_id_++;
        if (!waker_.watch(socket.get(), token(Source::kNewcomer, id))) continue;
        newcomers_.emplace(id, Newcomer{std::move(socket), peer, base::now_ns() + kHelloPatienceNs});
    }
    if (refused)
        XLOG_WARN("cannot accept a connection (%s): trying again; raise the limit of open files", strerror(errno));
    if (refused || newcomers_.size() >= kMostNewcomers)
        accept_again_ns_ = base::now_ns() + kAcceptRetryNs;
    else
        waker_.rearm(listener_.fd(), token(Source::kListener));
}

void Server::greet(uint32_t id) {
    const auto found = newcomers_.find(id);
    if (found == newcomers_.end()) return;
    Newcomer& newcomer = found->second;
    char packet[sizeof(ipc::Hello) + 1];
    const long bytes = ipc::receive_packet(newcomer.socket.get(), packet, sizeof(packet), nullptr, 0);
    if (bytes < 0 && errno == EAGAIN) return waker_.rearm(newcomer.socket.get(), token(Source::kNewcomer, id));
    if (bytes == 0) {  // it only looked whether somebody is here
        newcomers_.erase(found);
        return;
    }
    Greeting greeting = judge_hello(packet, bytes > 0 ? static_cast<size_t>(bytes) : 0, newcomer.peer, options_.scope);
    const bool tool = greeting.kind == ipc::PeerKind::kTool;
    const bool full = tool ? tools_.size() >= kMostTools : clients_.size() >= kMostClients;
    if (greeting.status == ipc::WelcomeStatus::kAccepted && full) greeting.status = ipc::WelcomeStatus::kFull;
    if (greeting.status != ipc::WelcomeStatus::kAccepted) {
        XLOG_INFO("pid %d (uid %u) is not let in: %s", newcomer.peer.pid, newcomer.peer.uid,
                  ipc::welcome_sentence(greeting.status));
        send_refusal(newcomer.socket.get(), greeting.status);
    } else if (tool) {
        admit_tool(id, newcomer);
    } else {
        admit_client(id, newcomer, greeting.program);
    }
    newcomers_.erase(found);
}

void Server::admit_client(uint32_t id, Newcomer& newcomer, const std::string& program) {
    std::unique_ptr<Client> client;
    try {
        client = std::make_unique<Client>(id, newcomer.peer, program);
    } catch (const std::system_error& error) {
        XLOG_WARN("pid %d cannot be served: %s", newcomer.peer.pid, error.what());
        send_refusal(newcomer.socket.get(), ipc::WelcomeStatus::kNoMemory);
        return;
    }
    if (!client->welcome(std::move(newcomer.socket))) return;
    waker_.rearm(client->socket(), token(Source::kClient, id));
    if (client->pid_fd() >= 0) waker_.watch(client->pid_fd(), token(Source::kClientEnd, id));
    dispatcher_.add_client({id, newcomer.peer.pid, &client->region(), false});
    checkpoint_.client_came(id, newcomer.peer.pid, base::now_ns());
    doorbells_.add(client->header());
    XLOG_INFO("client %u: %s (pid %d, uid %u)", id, program.c_str(), newcomer.peer.pid, newcomer.peer.uid);
    clients_.emplace(id, std::move(client));
}

void Server::admit_tool(uint32_t id, Newcomer& newcomer) {
    const ipc::Welcome welcome{
        ipc::kMagic, ipc::kVersion, sizeof(ipc::Welcome), ipc::WelcomeStatus::kAccepted, id, getpid(), 0};
    if (!ipc::send_packet(newcomer.socket.get(), &welcome, sizeof(welcome))) return;
    const auto added = tools_.emplace(id, Tool{std::move(newcomer.socket), newcomer.peer});
    waker_.rearm(added.first->second.socket.get(), token(Source::kTool, id));
}

void Server::serve_tool(uint32_t id) {
    const auto found = tools_.find(id);
    if (found == tools_.end()) return;
    Tool& tool = found->second;
    std::string request(ipc::kMostPacketBytes, '\0');
    const long bytes = ipc::receive_packet(tool.socket.get(), request.data(), request.size(), nullptr, 0);
    const bool too_long = bytes < 0 && errno == EMSGSIZE;
    if (bytes < 0 && errno == EAGAIN) return waker_.rearm(tool.socket.get(), token(Source::kTool, id));
    if (bytes > 0 || too_long) {
        request.resize(too_long ? 0 : static_cast<size_t>(bytes));
        dispatcher_.pass(base::now_ns());  // what the answer tells is true now
        const std::string answer = answer_tool(host_, tool.peer, request);
        dispatcher_.pass(base::now_ns());  // what was asked for is done when the answer comes
        if (send_answer(tool.socket.get(), answer)) return waker_.rearm(tool.socket.get(), token(Source::kTool, id));
    }
    tools_.erase(found);
}

// After its Hello a client sends handovers alone: end of file is its end, and anything else is not our protocol.
void Server::hear_client(uint32_t id) {
    const auto found = clients_.find(id);
    if (found == clients_.end()) return;
    ipc::Handover packet;
    const int socket = found->second->socket();
    int received = -1;
    const long bytes = ipc::receive_packet(socket, &packet, sizeof(packet), &received, 0);
    base::UniqueFd fd(received);
    if (bytes < 0 && errno == EAGAIN) return waker_.rearm(socket, token(Source::kClient, id));
    if (bytes > 0 && interrupter_.take(*found->second, &packet, static_cast<size_t>(bytes), std::move(fd)))
        return waker_.rearm(socket, token(Source::kClient, id));
    if (bytes > 0) XLOG_WARN("client %u sent %ld bytes where nothing is expected: it is let go", id, bytes);
    remove_client(id);
}

void Server::remove_client(uint32_t id) {
    const auto found = clients_.find(id);
    if (found == clients_.end()) return;
    Client& client = *found->second;
    interrupter_.release(client);
    dispatcher_.remove_client(id);
    doorbells_.remove(client.header());
    client.header().detached.store(1);
    ipc::ring_directive(client.header());
    XLOG_INFO("client %u: %s (pid %d) left", id, client.program().c_str(), client.peer().pid);
    clients_.erase(found);
}

// Those that do not carry out what the pass has decided. Returns the earlier of the planned time and theirs.
int64_t Server::look_after_clients(int64_t planned_ns, int64_t now_ns) {
    interrupter_.beat(now_ns);
    for (const auto& [id, client] : clients_) planned_ns = earlier(planned_ns, interrupter_.look(*client, now_ns));
    return planned_ns;
}

void Server::suspend_again(int64_t now_ns) {
    checkpoint_.suspend_again(
        [this](uint32_t client, uint64_t queue) { return dispatcher_.set_held(client, queue, true); }, now_ns);
}

bool Server::expect(pid_t pid) {
    base::UniqueFd process = open_pid(pid);
    if (!process) return false;
    const uint32_t id = next_id_++;
    if (!waker_.watch(process.get(), token(Source::kExpected, id))) return false;
    expected_.emplace(id, std::move(process));
    checkpoint_.note_expected(pid);
    return true;
}

void Server::drop_silent_newcomers(int64_t now_ns) {
    for (auto it = newcomers_.begin(); it != newcomers_.end();) {
        if (now_ns < it->second.deadline_ns) {
            ++it;
            continue;
        }
        XLOG_INFO("pid %d connected and said nothing for a second: it is let go", it->second.peer.pid);
        it = newcomers_.erase(it);
    }
}

bool Server::should_leave(int64_t now_ns) {
    const bool busy = !clients_.empty() || !tools_.empty() || !newcomers_.empty() || !expected_.empty();
    if (busy)
        idle_since_ns_ = 0;
    else if (idle_since_ns_ == 0)
        idle_since_ns_ = now_ns;
    if (busy || options_.idle_exit_ns == 0 || now_ns - idle_since_ns_ < options_.idle_exit_ns) return false;
    XLOG_INFO("nobody was here for %lld s: leaving", static_cast<long long>(options_.idle_exit_ns / base::kSecond));
    return true;
}

int64_t Server::next_wake(int64_t planned_ns) const {
    int64_t wake = earlier(planned_ns, accept_again_ns_);
    wake = earlier(wake, checkpoint_.due_ns());
    if (!newcomers_.empty()) wake = earlier(wake, newcomers_.begin()->second.deadline_ns);
    if (options_.idle_exit_ns != 0 && idle_since_ns_ != 0) wake = earlier(wake, idle_since_ns_ + options_.idle_exit_ns);
    return options_.supervised != nullptr ? earlier(wake, base::now_ns() + kMostSilentSleepNs) : wake;
}

void Server::let_everybody_go() {
    listener_.close();
    while (!clients_.empty()) remove_client(clients_.begin()->first);
    tools_.clear();
    newcomers_.clear();
}

}  // namespace xsched::server
