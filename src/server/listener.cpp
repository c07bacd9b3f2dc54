#include "server/listener.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

#include "base/clock.h"
#include "base/log.h"
#include "server/inherited_socket.h"
#include "server/lock_place.h"

namespace xsched::server {
namespace {

constexpr int kBacklog = 256;
// How long the lock of a server that is ending is awaited: it removes its socket a moment before it releases the lock.
constexpr int64_t kLockPatienceNs = base::kSecond;

// Throws if another user could replace the socket: a user who may write to the directory can put a socket of his own
// there.
void check_directory(const std::string& directory, ipc::SocketScope scope) {
    if (scope == ipc::SocketScope::kSystem && mkdir(directory.c_str(), 0755) != 0 && errno != EEXIST)
        throw std::runtime_error("cannot make the directory " + directory + " (" + strerror(errno) +
                                 "): a system server is started by root");
    struct stat info{};
    if (stat(directory.c_str(), &info) != 0)
        throw std::runtime_error("the socket's directory " + directory + " cannot be used (" + strerror(errno) +
                                 "): make it, or choose another with --socket");
    if (!S_ISDIR(info.st_mode)) throw std::runtime_error(directory + " is no directory: choose another with --socket");
    const bool mine = info.st_uid == geteuid() || info.st_uid == 0;
    const bool others_may_replace = (info.st_mode & 022) != 0 && (info.st_mode & S_ISVTX) == 0;
    if (!mine || others_may_replace)
        throw std::runtime_error("other users may replace files in " + directory +
                                 ": choose a directory of your own with --socket");
}

// Returns the holder of the lock, as noted in it; empty if unknown.
std::string holder_of(int lock) {
    char text[32] = {};
    const ssize_t bytes = pread(lock, text, sizeof(text) - 1, 0);
    return bytes > 0 ? " (pid " + std::string(text, strcspn(text, "\n")) + ")" : "";
}

}  // namespace

Listener::Listener(std::string path, ipc::SocketScope scope) : path_(std::move(path)) {
    if (path_.size() >= ipc::kSocketPathBytes)
        throw std::runtime_error("the socket path " + path_ + " is longer than " +
                                 std::to_string(ipc::kSocketPathBytes - 1) + " bytes: choose a shorter one");
    check_directory(parent_of(path_), scope);
    take_lock();
    socket_ = inherited_socket(path_);
    is_inherited_ = static_cast<bool>(socket_);
    if (!is_inherited_) open_socket(scope);
}

Listener::Listener(Lent, const Listener& owner)
    : path_(owner.path_),
      lock_(fcntl(owner.lock_.get(), F_DUPFD_CLOEXEC, 0)),
      socket_(fcntl(owner.socket_.get(), F_DUPFD_CLOEXEC, 0)),
      is_inherited_(owner.is_inherited_) {
    if (!lock_ || !socket_) throw std::runtime_error(std::string("no descriptors are left (") + strerror(errno) + ")");
}

Listener Listener::lend() const { return {Lent{}, *this}; }

void Listener::take_lock() {
    const std::string name = lock_path(path_);
    lock_.reset(open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!lock_)
        throw std::runtime_error("cannot write " + name + " (" + strerror(errno) + "): " +
                                 (path_ == ipc::system_socket_path()
                                      ? "the server of all users needs root; without --system it is yours alone"
                                      : "choose a place of your own with --socket"));
    const int64_t give_up = base::now_ns() + kLockPatienceNs;
    while (flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
        const base::UniqueFd probe(ipc::connect_path(path_.c_str()));
        if (probe || base::now_ns() > give_up)
            throw AlreadyServed("another xserver" + holder_of(lock_.get()) + " serves " + path_ + " already");
        usleep(10'000);
    }
    const std::string me = std::to_string(getpid()) + "\n";
    if (ftruncate(lock_.get(), 0) != 0 || pwrite(lock_.get(), me.data(), me.size(), 0) < 0)
        XLOG_WARN("cannot note our pid in %s (%s)", name.c_str(), strerror(errno));
}

void Listener::open_socket(ipc::SocketScope scope) {
    struct stat info{};
    if (lstat(path_.c_str(), &info) == 0) {
        if (S_ISLNK(info.st_mode)) {  // a link that led to a server of this user at another place (announcement.h)
            if (const base::UniqueFd probe(ipc::connect_path(path_.c_str())); probe)
                throw AlreadyServed("another xserver serves " + path_ + " already, from another place");
        } else if (!S_ISSOCK(info.st_mode)) {
            throw std::runtime_error(path_ + " exists and is no socket: choose another path");
        }
        // The socket was left by a server that was killed: this process has the lock. If it cannot be removed, another
        // user made it.
        if (unlink(path_.c_str()) != 0)
            throw std::runtime_error(path_ + " is a socket of uid " + std::to_string(info.st_uid) +
                                     " and cannot be removed (" + strerror(errno) +
                                     "): let that user remove it, or choose another path with --socket");
    }
    socket_.reset(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    memcpy(address.sun_path, path_.c_str(), path_.size() + 1);
    const mode_t before = umask(scope == ipc::SocketScope::kSystem ? 0111 : 0177);
    const int bound = socket_ ? bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) : -1;
    umask(before);
    if (bound != 0 || listen(socket_.get(), kBacklog) != 0)
        throw std::runtime_error("cannot listen on " + path_ + " (" + strerror(errno) +
                                 "): choose another with --socket");
}

base::UniqueFd Listener::accept(bool* refused) {
    *refused = false;
    for (;;) {
        base::UniqueFd connection(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (connection) return connection;
        if (errno == EINTR || errno == ECONNABORTED) continue;
        *refused = errno != EAGAIN;
        return {};
    }
}

void Listener::leave() {
    if (flock(lock_.get(), LOCK_EX | LOCK_NB) != 0)
        return;  // the child has left it already, and another server has
                 // begun
    if (!is_inherited_) unlink(path_.c_str());
    flock(lock_.get(), LOCK_UN);
}

}  // namespace xsched::server
