#include "base/log.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <strings.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace xsched::base {
namespace detail {

std::atomic<int> g_log_level{-1};

}  // namespace detail

namespace {

constexpr size_t kLineBytes = 1024;

using Sink = void (*)(const char* line, size_t bytes);
constinit std::atomic<Sink> g_sink{nullptr};

struct LevelName {
    const char* spelling;
    LogLevel level;
};
constexpr LevelName kLevelNames[] = {
    {"DEBG", LogLevel::kDebug}, {"DEBUG", LogLevel::kDebug}, {"INFO", LogLevel::kInfo},  {"WARN", LogLevel::kWarn},
    {"WARNING", LogLevel::kWarn}, {"ERRO", LogLevel::kError}, {"ERROR", LogLevel::kError},
};
constexpr const char* kPrinted[] = {"DEBG", "INFO", "WARN", "ERRO"};

// The file's base name: lines stay short and show no path of the build machine.
const char* base_name(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash != nullptr ? slash + 1 : path;
}

void write_to(int fd, const char* text, size_t bytes) {
    const int saved = errno;  // the guest may be between a call and its errno
    while (bytes > 0) {
        const ssize_t done = write(fd, text, bytes);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) break;
        text += done;
        bytes -= static_cast<size_t>(done);
    }
    errno = saved;
}

// Opens XLOG_FILE for each line: the guest may close any descriptor it did not open, and a number of ours that it
// reused would send our lines into its file.
void write_line(const char* text, size_t bytes) {
    static std::atomic<bool> complained{false};
    const char* path = getenv("XLOG_FILE");
    if (path == nullptr || *path == '\0') return write_to(STDERR_FILENO, text, bytes);
    const int saved = errno;
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600);
    const bool written = fd >= 0 && write(fd, text, bytes) == static_cast<ssize_t>(bytes);
    if (!written && !complained.exchange(true)) {
        char line[kLineBytes];
        const int n = snprintf(line, sizeof(line),
                               "[WARN] XLOG_FILE=%s cannot be written (%s): log lines are lost until it can\n", path,
                               strerror(errno));
        if (n > 0) write_to(STDERR_FILENO, line, static_cast<size_t>(n) < sizeof(line) ? n : sizeof(line) - 1);
    }
    if (fd >= 0) close(fd);
    errno = saved;
}

}  // namespace

int detail::log_level_slow() {
    int level = static_cast<int>(LogLevel::kInfo);
    const char* wanted = getenv("XLOG_LEVEL");
    bool known = wanted == nullptr || *wanted == '\0';
    for (const auto& name : kLevelNames) {
        if (wanted != nullptr && strcasecmp(wanted, name.spelling) == 0) {
            level = static_cast<int>(name.level);
            known = true;
        }
    }
    int unset = -1;
    if (detail::g_log_level.compare_exchange_strong(unset, level) && !known)
        XLOG_WARN("XLOG_LEVEL=%s is not a level: use DEBG, INFO, WARN or ERRO; going on with INFO", wanted);
    return detail::g_log_level.load(std::memory_order_relaxed);
}

void set_log_level(LogLevel level) { detail::g_log_level.store(static_cast<int>(level), std::memory_order_relaxed); }

void set_log_sink(void (*sink)(const char* line, size_t bytes)) { g_sink.store(sink, std::memory_order_release); }

void write_log_line(const char* line, size_t bytes) { write_line(line, bytes); }

void log_line(LogLevel level, const char* file, int line, const char* format, ...) {
    char text[kLineBytes];
    timespec ts{};
    clock_gettime(CLOCK_REALTIME, &ts);
    tm local{};
    localtime_r(&ts.tv_sec, &local);
    const int head = snprintf(text, sizeof(text), "[%s @ T%ld @ %02d:%02d:%02d.%06ld] ",
                              kPrinted[static_cast<int>(level)], syscall(SYS_gettid), local.tm_hour, local.tm_min,
                              local.tm_sec, ts.tv_nsec / 1000);
    size_t used = static_cast<size_t>(head);
    const size_t room = sizeof(text) - 64;  // keeps space for the place and the newline
    va_list args;
    va_start(args, format);
    const int body = vsnprintf(text + used, room - used, format, args);
    va_end(args);
    if (body > 0) used += static_cast<size_t>(body) < room - used ? static_cast<size_t>(body) : room - used - 1;
    if (level >= LogLevel::kWarn) {
        const int place = snprintf(text + used, sizeof(text) - used - 1, " @ %s:%d", base_name(file), line);
        if (place > 0) used += static_cast<size_t>(place) < sizeof(text) - used - 1 ? place : sizeof(text) - used - 2;
    }
    text[used++] = '\n';
    const Sink sink = g_sink.load(std::memory_order_acquire);
    (sink != nullptr ? sink : write_line)(text, used);
}

}  // namespace xsched::base
