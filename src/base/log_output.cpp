#include "base/log_output.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "base/confinement.h"
#include "base/no_copies.h"
#include "base/say_once.h"
#include "base/unique_fd.h"

namespace xsched::base {
namespace {

// The longest line. A pipe takes a write of at most PIPE_BUF bytes whole or not at all.
constexpr size_t kMostBytes = 2 * detail::kLogLineBytes;
static_assert(kMostBytes <= 4096);

enum class Fate { kWritten, kNoRoom, kFailed };  // kFailed: errno says why

constinit std::atomic<unsigned> g_lost{0};

// Blocks the signals of a failed write: a pipe without a reader or a file at its size limit raises one, which ends most
// programs.
class SignalsHeld : NoCopies {
public:
    SignalsHeld() {
        sigset_t pending;
        sigemptyset(&signals_);
        sigpending(&pending);
        for (const int number : {SIGPIPE, SIGXFSZ})
            if (sigismember(&pending, number) == 0) sigaddset(&signals_, number);
        pthread_sigmask(SIG_BLOCK, &signals_, &before_);
    }
    ~SignalsHeld() {
        const int saved = errno;
        const timespec now{};
        if (saved == EPIPE || saved == EFBIG) sigtimedwait(&signals_, nullptr, &now);
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        errno = saved;
    }

private:
    sigset_t signals_;  // signals that only our own write can raise
    sigset_t before_;
};

Fate fate_of(ssize_t done, size_t bytes) {
    if (done == static_cast<ssize_t>(bytes)) return Fate::kWritten;
    if (done >= 0) errno = ENOSPC;
    return done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? Fate::kNoRoom : Fate::kFailed;
}

// Writes once. `fd` must be non-blocking, a file, or have just reported that it has room.
Fate write_once(int fd, const char* text, size_t bytes) {
    const SignalsHeld held;
    errno = 0;
    ssize_t done = 0;
    do done = write(fd, text, bytes);
    while (done < 0 && errno == EINTR);
    return fate_of(done, bytes);
}

Fate write_if_room(int fd, const char* text, size_t bytes) {
    pollfd asked{fd, POLLOUT, 0};
    if (poll(&asked, 1, 0) <= 0) return Fate::kNoRoom;
    if ((asked.revents & (POLLERR | POLLNVAL)) != 0) {
        errno = EPIPE;
        return Fate::kFailed;
    }
    return (asked.revents & POLLOUT) != 0 ? write_once(fd, text, bytes) : Fate::kNoRoom;
}

// Returns whether standard error leads to systemd's journal: JOURNAL_STREAM has its device and inode (systemd.exec(5)).
bool is_journal(const struct stat& info) {
    const char* stream = secure_getenv("JOURNAL_STREAM");
    char* rest = nullptr;
    if (stream == nullptr || strtoull(stream, &rest, 10) != info.st_dev || *rest != ':') return false;
    return strtoull(rest + 1, nullptr, 10) == info.st_ino;
}

// Returns the line's level as the journal takes it in front of a line (sd-daemon(3)).
const char* journal_level(const char* line, size_t bytes) {
    constexpr struct {
        const char* begin;
        const char* level;
    } kLevels[] = {{"[ERRO", "<3>"}, {"[WARN", "<4>"}, {"[DEBG", "<7>"}};
    for (const auto& one : kLevels)
        if (bytes > strlen(one.begin) && memcmp(line, one.begin, strlen(one.begin)) == 0) return one.level;
    return "<6>";
}

// Sends a line to a socket. A stream takes part of it if it has room for no more: then the rest is lost.
Fate send_line(const struct stat& info, const char* text, size_t bytes) {
    if (!is_journal(info)) return fate_of(send(STDERR_FILENO, text, bytes, MSG_DONTWAIT | MSG_NOSIGNAL), bytes);
    const char* level = journal_level(text, bytes);
    iovec parts[] = {{const_cast<char*>(level), strlen(level)}, {const_cast<char*>(text), bytes}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = std::size(parts);
    return fate_of(sendmsg(STDERR_FILENO, &message, MSG_DONTWAIT | MSG_NOSIGNAL), strlen(level) + bytes);
}

// Writes to standard error without waiting. The program's own descriptor may block and must not be changed. So it is
// opened once more as non-blocking; if that is forbidden, poll is asked first whether it has room.
Fate write_to_standard_error(const char* text, size_t bytes) {
    struct stat info{};
    if (fstat(STDERR_FILENO, &info) != 0) return Fate::kFailed;
    if (S_ISREG(info.st_mode)) return write_once(STDERR_FILENO, text, bytes);
    if (S_ISSOCK(info.st_mode)) return send_line(info, text, bytes);
    if (!S_ISFIFO(info.st_mode) && !S_ISCHR(info.st_mode)) return Fate::kFailed;
    const int flags = fcntl(STDERR_FILENO, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) return Fate::kFailed;
    if ((flags & O_NONBLOCK) != 0) return write_once(STDERR_FILENO, text, bytes);
    if (!entered_sandbox() && (S_ISFIFO(info.st_mode) || isatty(STDERR_FILENO) != 0)) {
        const UniqueFd own(open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_APPEND | O_CLOEXEC | O_NOCTTY));
        struct stat opened{};
        if (own && fstat(own.get(), &opened) == 0 && opened.st_ino == info.st_ino && opened.st_dev == info.st_dev)
            return write_once(own.get(), text, bytes);
    }
    return write_if_room(STDERR_FILENO, text, bytes);
}

// Appends a line to the log file, which is opened for each line. A descriptor that stays open could be closed by the
// guest, and its number reused for one of the guest's files.
Fate write_to_file(const char* path, const char* text, size_t bytes) {
    if (entered_sandbox()) {
        errno = EPERM;
        return Fate::kFailed;
    }
    const UniqueFd file(open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600));
    struct stat info{};
    if (!file || fstat(file.get(), &info) != 0) return Fate::kFailed;
    if (S_ISREG(info.st_mode) || S_ISCHR(info.st_mode) || S_ISFIFO(info.st_mode))
        return write_once(file.get(), text, bytes);
    errno = EINVAL;
    return Fate::kFailed;
}

void complain(const char* path, int error) {
    static constinit std::atomic<bool> complained{false};
    if (complained.exchange(true) || !is_first_to_say({"XLOG_FILE", path})) return;
    const char* why = entered_sandbox() ? "a sandbox may forbid it" : strerror(error);
    if (error == ENXIO) why = "no process reads it";
    if (error == EINVAL) why = "it is neither a file nor a FIFO nor a terminal";
    char line[detail::kLogLineBytes];
    const size_t bytes =
        detail::format_line(line, LogLevel::kWarn, __FILE__, __LINE__,
                            "XLOG_FILE=%s cannot be written (%s): log lines are lost until it can", path, why);
    write_to_standard_error(line, bytes);
}

Fate write_somewhere(const char* text, size_t bytes) {
    const char* path = secure_getenv("XLOG_FILE");
    if (path == nullptr || *path == '\0') return write_to_standard_error(text, bytes);
    const Fate fate = write_to_file(path, text, bytes);
    if (fate == Fate::kFailed) complain(path, errno);
    return fate;
}

}  // namespace

bool detail::logs_to_file() {
    const char* path = secure_getenv("XLOG_FILE");
    return path != nullptr && *path != '\0';
}

void detail::put_line(const char* line, size_t bytes) {
    const unsigned lost = g_lost.exchange(0, std::memory_order_relaxed);
    if (lost == 0) {
        if (write_somewhere(line, bytes) == Fate::kNoRoom) g_lost.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    char both[kMostBytes];
    const size_t notice = format_line(both, LogLevel::kWarn, __FILE__, __LINE__,
                                      "%u log lines were lost: the reader did not read them in time", lost);
    if (bytes > kLogLineBytes) bytes = kLogLineBytes;
    memcpy(both + notice, line, bytes);
    if (write_somewhere(both, notice + bytes) != Fate::kWritten) g_lost.fetch_add(lost + 1, std::memory_order_relaxed);
}

}  // namespace xsched::base
