// The log, in the user's format, on standard error (or the file named by XLOG_FILE):
//   [INFO @ T19594 @ 05:15:13.467276] using local scheduler with policy HPF
// In a file the day, the program and its number stand before that: 2026-11-23 app[19594] [INFO ...
// ERRO lines end in " @ file:line". One write(2) per line, no lock, no allocation; any thread, also
// inside fork's child. A level that is off costs one relaxed load. A line that cannot be written now (full disk, a pipe
// without a reader) is dropped: the guest never waits for it and never fails by it (log_output.h).
#pragma once

#include <atomic>
#include <cstddef>

#include "base/log_level.h"

namespace xsched::base {

namespace detail {
extern std::atomic<int> g_log_level;  // -1 until XLOG_LEVEL has been read
int log_level_slow();
}  // namespace detail

inline bool log_enabled(LogLevel level) {
    int current = detail::g_log_level.load(std::memory_order_relaxed);
    if (current < 0) [[unlikely]]
        current = detail::log_level_slow();
    return static_cast<int>(level) >= current;
}

// Makes the C library read the time zone's file now, which it does once per process: inside a sandbox it may be
// forbidden.
void prepare_log();
// Overrides XLOG_LEVEL (tools' --verbose; xcli log; tests).
void set_log_level(LogLevel level);
// Finds the level with this name, in upper or lower case. Returns false if there is none.
bool find_log_level(const char* word, LogLevel* level);
const char* log_level_name();  // name of the level in force

// Where whole lines go instead (xserver: to a thread that may wait); nullptr: as without it. `line` ends in a newline,
// has no terminating zero and is the caller's again afterwards. The sink is called on any thread and may not log. It
// may hand lines to write_log_line later, which writes them as they would have been without a sink.
void set_log_sink(void (*sink)(const char* line, size_t bytes));
void write_log_line(const char* line, size_t bytes);

[[gnu::format(printf, 4, 5)]] void log_line(LogLevel level, const char* file, int line, const char* format, ...);

}  // namespace xsched::base

#define XSCHED_LOG(level, ...)                                                \
    do {                                                                      \
        if (::xsched::base::log_enabled(level)) [[unlikely]]                  \
            ::xsched::base::log_line(level, __FILE__, __LINE__, __VA_ARGS__); \
    } while (0)
#define XLOG_DEBG(...) XSCHED_LOG(::xsched::base::LogLevel::kDebug, __VA_ARGS__)
#define XLOG_INFO(...) XSCHED_LOG(::xsched::base::LogLevel::kInfo, __VA_ARGS__)
#define XLOG_WARN(...) XSCHED_LOG(::xsched::base::LogLevel::kWarn, __VA_ARGS__)
#define XLOG_ERRO(...) XSCHED_LOG(::xsched::base::LogLevel::kError, __VA_ARGS__)
