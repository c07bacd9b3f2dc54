#include "server/undertaker/undertaker.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/time.h"

namespace xsched::server {
namespace {

// Most stuck threads for one user. Beyond that, what the user sends is left unread.
constexpr unsigned kMostStuck = 4;
// Most threads at work at once, for as many users ("safety": a thread costs some 50 kB).
constexpr unsigned kMostAtWork = 16;
constexpr int64_t kStuckAfterNs = 500 * base::kMillisecond;
constexpr int64_t kRetryNs = 100 * base::kMillisecond;
constexpr size_t kMostHeld = 1024;  // most connections that stay open for a user whose threads are stuck
constexpr int kMostEvents = 16;

// Returns whether the server's front waits for the result of an order of this kind: the packet received, the file
// mapped, or the file sealed. The result, or the news that the order failed, comes as a Parcel with the order's token.
bool is_awaited(BurialOrder::Kind kind) {
    return kind == BurialOrder::Kind::kReceive || kind == BurialOrder::Kind::kMap || kind == BurialOrder::Kind::kSeal;
}

// Returns whether the connection is at its end, and no unread packet holds a descriptor.
bool drained(int connection) {
    // With SO_PASSCRED each packet comes with the sender's identity, so an empty packet can be told from the end of
    // the connection.
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
        message.msg_controllen = sizeof(control);  // no room for descriptors, so they stay in the queue
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

// The threads are not joined: waiting for one may block forever. They end with the process.
Undertaker::~Undertaker() = default;

void Undertaker::bury(uid_t user, base::UniqueFd connection) {
    if (!connection || drained(connection.get())) return;
    users_[user].burials.push_back(std::move(connection));
    assign(base::now_ns());
}

void Undertaker::add(uid_t user, Job job) {
    users_[user].jobs.push_back(std::move(job));
    assign(base::now_ns());
}

void Undertaker::receive(uid_t user, int connection, uint32_t token) {
    Job job{.order = {BurialOrder::Kind::kReceive, token, nullptr}};
    job.connection = connection;
    add(user, std::move(job));
}

void Undertaker::map(uid_t user, int file, uint32_t token, pid_t pid) {
    Job job{.order = {BurialOrder::Kind::kMap, token, nullptr, pid}};
    job.fds.emplace_back(fcntl(file, F_DUPFD_CLOEXEC, 0));
    add(user, std::move(job));
}

void Undertaker::seal(uid_t user, int file, uint32_t token) {
    Job job{.order = {BurialOrder::Kind::kSeal, token, nullptr}};
    job.fds.emplace_back(fcntl(file, F_DUPFD_CLOEXEC, 0));
    add(user, std::move(job));
}

void Undertaker::empty(uid_t user, base::UniqueFd file, std::vector<Charge> charges) {
    Job job{.order = {BurialOrder::Kind::kEmpty, 0, nullptr}};
    job.fds.push_back(std::move(file));
    job.charges = std::move(charges);
    add(user, std::move(job));
}

void Undertaker::unmap(uid_t user, ipc::Region* region, base::UniqueFd file, std::vector<Charge> charges) {
    if (region == nullptr) return;
    Job job{.order = {BurialOrder::Kind::kUnmap, 0, region}};
    if (file) job.fds.push_back(std::move(file));
    job.charges = std::move(charges);
    add(user, std::move(job));
}

bool Undertaker::empties_for(uid_t user) const {
    const auto is_emptying = [](const auto& it) { return it.order.kind == BurialOrder::Kind::kEmpty; };
    const auto found = users_.find(user);
    if (found == users_.end()) return false;
    if (may_have_thread(found->second) &&
        std::any_of(found->second.jobs.begin(), found->second.jobs.end(), is_emptying))
        return true;
    return std::any_of(workers_.begin(), workers_.end(), [&](const Worker& worker) {
        return worker.busy && !worker.stuck && worker.user == user && is_emptying(worker);
    });
}

void Undertaker::cancel(uid_t user, uint32_t token) {
    const auto found = users_.find(user);
    if (found == users_.end()) return;
    std::erase_if(found->second.jobs,
                  [token](const Job& job) { return job.order.token == token && is_awaited(job.order.kind); });
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
    int64_t due_ns = retry_ns_;
    for (const Worker& worker : workers_)
        if (worker.busy && !worker.stuck) due_ns = base::earlier(due_ns, worker.began_ns + kStuckAfterNs);
    return due_ns;
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

// Returns an idle thread. Threads that are stuck are left alone.
Undertaker::Worker* Undertaker::idle_worker() {
    for (Worker& worker : workers_)
        if (!worker.busy && worker.socket) return &worker;
    Worker fresh;
    fresh.socket.reset(start_undertaker_thread(wanted_, &fresh.theirs));
    if (!fresh.socket) return nullptr;
    workers_.push_back(std::move(fresh));
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &workers_.back();
    epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, workers_.back().socket.get(), &event);
    return &workers_.back();
}

// Returns whether the user may get another thread. A user whose threads are stuck waits, unless his queue has become so
// long that one more thread is worth it.
bool Undertaker::may_have_thread(const Account& user) const {
    return !user.at_work && (user.stuck < kMostStuck || user.burials.size() >= kMostHeld);
}

bool Undertaker::has_next() const {
    return std::any_of(users_.begin(), users_.end(),
                       [this](const auto& it) { return !it.second.empty() && may_have_thread(it.second); });
}

// Chooses the next job; users take turns.
bool Undertaker::next_job(uid_t* user, Job* job) {
    auto at = users_.upper_bound(last_user_);
    for (size_t tries = 0; tries < users_.size(); ++tries, ++at) {
        if (at == users_.end()) at = users_.begin();
        Account& it = at->second;
        if (it.empty() || !may_have_thread(it)) continue;
        *user = last_user_ = at->first;
        *job = {};
        if (!it.jobs.empty()) {
            *job = std::move(it.jobs.front());
            it.jobs.pop_front();
            return true;
        }
        while (!it.burials.empty() && job->fds.size() < kMostBurials) {
            job->fds.push_back(std::move(it.burials.front()));
            it.burials.pop_front();
        }
        return true;
    }
    return false;
}

bool Undertaker::give(Worker& worker, uid_t user, Job job) {
    std::vector<int> fds;
    for (const base::UniqueFd& fd : job.fds) fds.push_back(fd.get());
    if (job.connection >= 0) fds = {job.connection};
    const BurialOrder::Kind kind = job.order.kind;
    if (send_with(worker.socket.get(), &job.order, sizeof(job.order), fds.data(), static_cast<unsigned>(fds.size())) <
        0) {
        XLOG_WARN("descriptors of uid %u cannot be passed on to be closed (%s): trying again", user, strerror(errno));
        Account& again = users_[user];
        if (kind == BurialOrder::Kind::kBury)
            for (base::UniqueFd& fd : job.fds) again.burials.push_back(std::move(fd));
        else
            again.jobs.push_front(std::move(job));
        retry_ns_ = worker.began_ns + kRetryNs;
        return false;
    }
    job.fds.clear();  // closes this side's copies; the thread's are now the last
    const char start = 1;
    send_with(worker.socket.get(), &start, 1, nullptr, 0);
    worker.busy = true;
    worker.awaited = is_awaited(kind);
    worker.user = user;
    worker.order = job.order;
    worker.charges = std::move(job.charges);
    users_[user].at_work = true;
    return true;
}

void Undertaker::assign(int64_t now_ns) {
    if (now_ns < retry_ns_) return;
    retry_ns_ = 0;
    auto at_work = static_cast<size_t>(std::count_if(
        workers_.begin(), workers_.end(), [](const Worker& worker) { return worker.busy && !worker.stuck; }));
    for (; at_work < kMostAtWork && has_next(); ++at_work) {
        Worker* worker = idle_worker();
        uid_t user = 0;
        Job job;
        if (worker == nullptr || !next_job(&user, &job)) return;
        worker->began_ns = now_ns;
        if (!give(*worker, user, std::move(job))) return;
    }
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
    const bool whole = bytes >= static_cast<long>(sizeof(reply));
    if (whole) memcpy(&reply, text.data(), sizeof(reply));
    if (!whole || reply.kind == BurialReply::Kind::kDone) {
        if (worker.busy) end(worker, parcels);
        if (!whole) worker.socket.reset();
        return;
    }
    if (reply.kind == BurialReply::Kind::kApart) {
        base::UniqueFd(std::exchange(worker.theirs, -1)).reset();
        return;
    }
    const bool is_memory = reply.kind == BurialReply::Kind::kKept || reply.kind == BurialReply::Kind::kMapped;
    if (worker.stuck && !is_memory) return;  // the worker was given up
    worker.awaited = false;
    if (reply.kind == BurialReply::Kind::kKept) {
        for (Charge& charge : worker.charges) kept_.push_back(std::move(charge));
        worker.charges.clear();
        return;
    }
    Parcel parcel;
    parcel.token = reply.token;
    if (reply.kind == BurialReply::Kind::kSealed) {
        parcel.sealed = reply.bytes == 0;
        parcel.lost = !parcel.sealed;
    } else if (reply.kind == BurialReply::Kind::kMapped) {
        parcel.user = worker.user;
        parcel.region = reply.region;
        parcel.packet = text.substr(sizeof(reply), static_cast<size_t>(reply.bytes));
    } else {
        parcel.packet = text.substr(sizeof(reply), static_cast<size_t>(reply.bytes));
        parcel.fd = std::move(fd);
    }
    parcels.push_back(std::move(parcel));
}

// Ends the worker's order. If its thread was given up as stuck, the thread ends as well, since another one has replaced
// it. The thread also ends if another one is idle already.
void Undertaker::end(Worker& worker, std::vector<Parcel>& parcels) {
    Account& user = users_[worker.user];
    if (worker.stuck && user.stuck > 0) --user.stuck;
    if (!worker.stuck) user.at_work = false;
    if (!worker.stuck && worker.awaited) parcels.push_back({.token = worker.order.token, .lost = true});
    if (!worker.stuck && worker.order.kind == BurialOrder::Kind::kEmpty) parcels.push_back({});
    if (user.done()) users_.erase(worker.user);
    worker.charges.clear();
    worker.busy = false;
    const auto idle =
        std::count_if(workers_.begin(), workers_.end(), [](const Worker& one) { return !one.busy && one.socket; });
    if (worker.stuck || idle > 1) worker.socket.reset();
}

void Undertaker::leave_behind(int64_t now_ns, std::vector<Parcel>& parcels) {
    for (Worker& worker : workers_) {
        if (!worker.busy || worker.stuck || now_ns - worker.began_ns < kStuckAfterNs) continue;
        worker.stuck = true;
        Account& user = users_[worker.user];
        user.at_work = false;
        const bool closes =
            worker.order.kind == BurialOrder::Kind::kBury || worker.order.kind == BurialOrder::Kind::kReceive;
        XLOG_WARN("uid %u %s: %u of at most %u threads wait there", worker.user,
                  closes ? "sent a descriptor that cannot be closed (a file system that does not answer?)"
                         : "holds the lock of a file that the server shares with it (changes it without a pause?)",
                  ++user.stuck, kMostStuck);
        if (worker.awaited) parcels.push_back({.token = worker.order.token, .lost = true});
        if (worker.order.kind == BurialOrder::Kind::kEmpty) parcels.push_back({});
    }
}

}  // namespace xsched::server
