#include "base/log.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iterator>

#include "base/log_output.h"
#include "base/say_once.h"
#include "base/text.h"

namespace xsched::base {
namespace detail {

std::atomic<int> g_log_level{-1};

}  // namespace detail

namespace {

using Sink = void (*)(const char* line, size_t bytes);
constinit std::atomic<Sink> g_sink{nullptr};

struct LevelName {
    const char* spelling;
    LogLevel level;
};
constexpr LevelName kLevelNames[] = {
    {"DEBG", LogLevel::kDebug},   {"DEBUG", LogLevel::kDebug}, {"INFO", LogLevel::kInfo},   {"WARN", LogLevel::kWarn},
    {"WARNING", LogLevel::kWarn}, {"ERRO", LogLevel::kError},  {"ERROR", LogLevel::kError},
};
constexpr const char* kPrinted[] = {"DEBG", "INFO", "WARN", "ERRO"};

// The file's base name: lines stay short and show no path of the build machine.
const char* base_name(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash != nullptr ? slash + 1 : path;
}

}  // namespace

int detail::log_level_slow() {
    LogLevel level = LogLevel::kInfo;
    const char* wanted = secure_getenv("XLOG_LEVEL");
    const bool known = wanted == nullptr || *wanted == '\0' || find_log_level(wanted, &level);
    int unset = -1;
    if (detail::g_log_level.compare_exchange_strong(unset, static_cast<int>(level)) && !known &&
        is_first_to_say({"XLOG_LEVEL", wanted}))
        XLOG_WARN("XLOG_LEVEL=%s is not a level: use DEBG, INFO, WARN or ERRO; going on with INFO", wanted);
    return detail::g_log_level.load(std::memory_order_relaxed);
}

void prepare_log() {
    const time_t now = time(nullptr);
    tm local{};
    localtime_r(&now, &local);
}

void set_log_level(LogLevel level) { detail::g_log_level.store(static_cast<int>(level), std::memory_order_relaxed); }

bool find_log_level(const char* word, LogLevel* level) {
    for (const auto& name : kLevelNames) {
        if (!same_word(word, name.spelling)) continue;
        *level = name.level;
        return true;
    }
    return false;
}

const char* log_level_name() {
    for (int level = 0; level < static_cast<int>(std::size(kPrinted)); ++level)
        if (log_enabled(static_cast<LogLevel>(level))) return kPrinted[level];
    return kPrinted[static_cast<int>(LogLevel::kError)];
}

void set_log_sink(void (*sink)(const char* line, size_t bytes)) { g_sink.store(sink, std::memory_order_release); }

void write_log_line(const char* line, size_t bytes) {
    const int saved = errno;
    detail::put_line(line, bytes);
    errno = saved;
}

namespace {

[[gnu::format(printf, 5, 0)]] size_t format_with(char* text, LogLevel level, const char* file, int line,
                                                 const char* format, va_list args) {
    constexpr size_t kBytes = detail::kLogLineBytes;
    timespec ts{};
    clock_gettime(CLOCK_REALTIME, &ts);
    tm local{};
    localtime_r(&ts.tv_sec, &local);
    // Puts the day and the program before the line: a log file may hold lines of several programs and days.
    size_t used = 0;
    if (detail::logs_to_file())
        used = static_cast<size_t>(snprintf(text, kBytes, "%04d-%02d-%02d %.32s[%d] ", local.tm_year + 1900,
                                            local.tm_mon + 1, local.tm_mday, program_invocation_short_name, getpid()));
    used += static_cast<size_t>(snprintf(text + used, kBytes - used, "[%s @ T%ld @ %02d:%02d:%02d.%06ld] ",
                                         kPrinted[static_cast<int>(level)], syscall(SYS_gettid), local.tm_hour,
                                         local.tm_min, local.tm_sec, ts.tv_nsec / 1000));
    const size_t room = kBytes - 64;  // leaves space for the file name and the newline
    const int body = vsnprintf(text + used, room - used, format, args);
    const size_t begin = used;
    if (body > 0) used += static_cast<size_t>(body) < room - used ? static_cast<size_t>(body) : room - used - 1;
    // Replaces control characters in the arguments, so that a line stays one line and cannot control a terminal.
    replace_controls(text + begin, used - begin);
    if (level >= LogLevel::kError) {
        const int place = snprintf(text + used, kBytes - used - 1, " @ %s:%d", base_name(file), line);
        if (place > 0) used += static_cast<size_t>(place) < kBytes - used - 1 ? place : kBytes - used - 2;
    }
    text[used++] = '\n';
    return used;
}

}  // namespace

size_t detail::format_line(char* text, LogLevel level, const char* file, int line, const char* format, ...) {
    va_list args;
    va_start(args, format);
    const size_t bytes = format_with(text, level, file, line, format, args);
    va_end(args);
    return bytes;
}

void log_line(LogLevel level, const char* file, int line, const char* format, ...) {
    const int saved = errno;  // keeps errno: the guest may be about to read it
    char text[detail::kLogLineBytes];
    va_list args;
    va_start(args, format);
    const size_t bytes = format_with(text, level, file, line, format, args);
    va_end(args);
    const Sink sink = g_sink.load(std::memory_order_acquire);
    (sink != nullptr ? sink : detail::put_line)(text, bytes);
    errno = saved;
}

}  // namespace xsched::base
