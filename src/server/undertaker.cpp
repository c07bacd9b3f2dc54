#include "server/undertaker.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "server/undertaker_thread.h"

namespace xsched::server {
namespace {

constexpr int64_t kStuckAfterNs = 500 * base::kMillisecond;
constexpr int64_t kRetryNs = 100 * base::kMillisecond;
constexpr size_t kMostHeld = 1024;  // connections kept open for a user whose threads are stuck
constexpr int kMostEvents = 16;

// True: nothing more comes in, and nothing that has come in holds a descriptor.
bool drained(int connection) {
    // With these a packet of no bytes differs from the end of file.
    const int on = 1;
    setsockopt(connection, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
    shutdown(connection, SHUT_RDWR);
    for (;;) {
        char part[256];
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))];
        iovec content{part, sizeof(part)};
        msghdr message{};
        message.msg_iov = &content;
        message.msg_iovlen = 1;
        message.msg_control = control;
        message.msg_controllen = sizeof(control);  // no room for descriptors: they stay where they are
        const ssize_t bytes = recvmsg(connection, &message, MSG_PEEK | MSG_DONTWAIT);
        if (bytes < 0 && errno == EINTR) continue;
        if ((message.msg_flags & MSG_CTRUNC) != 0) return false;
        if (bytes < 0 || (bytes == 0 && message.msg_controllen == 0)) return true;
        recv(connection, part, sizeof(part), MSG_DONTWAIT);
    }
}

}  // namespace

Undertaker::Undertaker(Wanted wanted) : wanted_(wanted), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    if (!epoll_) throw std::system_error(errno, std::generic_category(), "epoll");
}

// The threads end with the process: waiting for one may take for ever.
Undertaker::~Undertaker() = default;

void Undertaker::bury(uid_t user, base::UniqueFd connection) {
    if (!connection || drained(connection.get())) return;
    users_[user].burials.push_back(std::move(connection));
    assign(base::now_ns());
}

void Undertaker::receive(uid_t user, int connection, uint32_t token) {
    Job job;
    job.connection = connection;
    job.token = token;
    users_[user].receptions.push_back(std::move(job));
    assign(base::now_ns());
}

void Undertaker::cancel(uid_t user, uint32_t token) {
    const auto found = users_.find(user);
    if (found == users_.end()) return;
    std::erase_if(found->second.receptions, [token](const Job& job) { return job.token == token; });
}

bool Undertaker::refuses(uid_t user) const {
    const auto found = users_.find(user);
    return found != users_.end() && found->second.stuck >= kMostStuck;
}

size_t Undertaker::backlog() const {
    size_t count = 0;
    for (const auto& [uid, user] : users_)
        if (user.stuck < kMostStuck) count += user.burials.size();
    return count;
}

int64_t Undertaker::due_ns() const {
    for (const Worker& worker : workers_)
        if (worker.busy && !worker.stuck) return worker.began_ns + kStuckAfterNs;
    return retry_ns_;
}

std::vector<Undertaker::Parcel> Undertaker::work(int64_t now_ns) {
    std::vector<Parcel> parcels;
    epoll_event events[kMostEvents];
    const int count = epoll_wait(epoll_.get(), events, kMostEvents, 0);
    for (int i = 0; i < count; ++i) hear(*static_cast<Worker*>(events[i].data.ptr), parcels);
    workers_.remove_if([](const Worker& worker) { return !worker.socket; });
    leave_behind(now_ns, parcels);
    assign(now_ns);
    return parcels;
}

// One thread works at a time; those that are stuck are left where they are.
Undertaker::Worker* Undertaker::idle_worker() {
    for (Worker& worker : workers_)
        if (!worker.stuck) return worker.busy ? nullptr : &worker;
    Worker fresh;
    fresh.socket.reset(start_undertaker_thread(wanted_));
    if (!fresh.socket) return nullptr;
    workers_.push_back(std::move(fresh));
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &workers_.back();
    epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, workers_.back().socket.get(), &event);
    return &workers_.back();
}

// The users take turns. A user whose threads are stuck waits, unless so much has come together that one more takes it
// all.
bool Undertaker::next_job(uid_t* user, Job* job) {
    auto at = users_.upper_bound(last_user_);
    for (size_t tries = 0; tries < users_.size(); ++tries, ++at) {
        if (at == users_.end()) at = users_.begin();
        User& it = at->second;
        if (it.empty() || (it.stuck >= kMostStuck && it.burials.size() < kMostHeld)) continue;
        *user = last_user_ = at->first;
        if (!it.receptions.empty()) {
            *job = std::move(it.receptions.front());
            it.receptions.pop_front();
            return true;
        }
        while (!it.burials.empty() && job->burials.size() < kMostBurials) {
            job->burials.push_back(std::move(it.burials.front()));
            it.burials.pop_front();
        }
        return true;
    }
    return false;
}

bool Undertaker::give(Worker& worker, uid_t user, Job job) {
    std::vector<int> fds;
    for (const base::UniqueFd& fd : job.burials) fds.push_back(fd.get());
    const bool receiving = job.connection >= 0;
    if (receiving) fds = {job.connection};
    const BurialOrder order{receiving ? BurialOrder::Kind::kReceive : BurialOrder::Kind::kBury, job.token};
    if (send_with(worker.socket.get(), &order, sizeof(order), fds.data(), static_cast<unsigned>(fds.size())) < 0) {
        XLOG_WARN("descriptors of uid %u cannot be passed on to be closed (%s): trying again", user, strerror(errno));
        User& again = users_[user];
        for (base::UniqueFd& fd : job.burials) again.burials.push_back(std::move(fd));
        if (receiving) again.receptions.push_front(std::move(job));
        retry_ns_ = worker.began_ns + kRetryNs;
        return false;
    }
    job.burials.clear();  // ours; the thread's are the last now
    const char start = 1;
    send_with(worker.socket.get(), &start, 1, nullptr, 0);
    worker.busy = true;
    worker.receiving = receiving;
    worker.user = user;
    worker.token = job.token;
    return true;
}

bool Undertaker::pending() const {
    return std::any_of(users_.begin(), users_.end(), [](const auto& it) { return !it.second.empty(); });
}

void Undertaker::assign(int64_t now_ns) {
    if (now_ns < retry_ns_) return;
    retry_ns_ = 0;
    uid_t user = 0;
    Job job;
    Worker* worker = pending() ? idle_worker() : nullptr;
    if (worker == nullptr || !next_job(&user, &job)) return;
    worker->began_ns = now_ns;
    give(*worker, user, std::move(job));
}

void Undertaker::hear(Worker& worker, std::vector<Parcel>& parcels) {
    std::string text(sizeof(BurialReply) + kMostParcelBytes, '\0');
    int fds[kMostInPacket];
    unsigned count = 0;
    const long bytes =
        receive_with(worker.socket.get(), text.data(), static_cast<unsigned>(text.size()), fds, &count, MSG_DONTWAIT);
    if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return;
    base::UniqueFd fd(count > 0 ? fds[0] : -1);
    BurialReply reply{};
    if (bytes >= static_cast<long>(sizeof(reply))) memcpy(&reply, text.data(), sizeof(reply));
    if (bytes >= static_cast<long>(sizeof(reply)) && reply.kind == BurialReply::Kind::kReceived) {
        if (worker.stuck) return;  // it was given up
        worker.receiving = false;
        parcels.push_back(
            {reply.token, false, text.substr(sizeof(reply), static_cast<size_t>(reply.bytes)), std::move(fd)});
        return;
    }
    // At the end of an order. One that was left behind has come back: it is not needed any more.
    const bool ended = bytes < static_cast<long>(sizeof(reply));
    User& user = users_[worker.user];
    if (worker.stuck && user.stuck > 0) --user.stuck;
    if (!worker.stuck && worker.receiving) parcels.push_back({worker.token, true, {}, {}});
    if (user.stuck == 0 && user.empty()) users_.erase(worker.user);
    if (worker.stuck || ended) worker.socket.reset();
    worker.busy = false;
}

void Undertaker::leave_behind(int64_t now_ns, std::vector<Parcel>& parcels) {
    for (Worker& worker : workers_) {
        if (!worker.busy || worker.stuck || now_ns - worker.began_ns < kStuckAfterNs) continue;
        worker.stuck = true;
        const unsigned stuck = ++users_[worker.user].stuck;
        XLOG_WARN(
            "uid %u sent a descriptor that cannot be closed (a file system that does not answer?): %u of at most "
            "%u threads wait there",
            worker.user, stuck, kMostStuck);
        if (worker.receiving) parcels.push_back({worker.token, true, {}, {}});
    }
}

}  // namespace xsched::server
