#include "order/report.h"

#include <unistd.h>

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

namespace order {
namespace {

constexpr int64_t kMostPrinted = 20;

struct State {
    std::atomic<const char*> name{nullptr};
    std::atomic<const char*> what{"starting"};
    std::atomic<bool> used{false};
};

std::atomic<int64_t> g_violations{0};
State g_states[64];
thread_local State* t_state = nullptr;

[[noreturn]] void stalled(int seconds) {
    std::fprintf(stderr, "order_check: STALLED: no operation finished for %d s after %lld operations\n", seconds,
                 static_cast<long long>(g_operations.load()));
    for (const State& state : g_states) {
        if (state.used.load()) std::fprintf(stderr, "  %s: in %s\n", state.name.load(), state.what.load());
    }
    std::printf("operations %lld, violations %lld, stalled\n", static_cast<long long>(g_operations.load()),
                static_cast<long long>(violations()));
    std::fflush(stdout);
    _exit(3);
}

}  // namespace

std::atomic<int64_t> g_operations{0};

void violation(const char* format, ...) {
    if (g_violations.fetch_add(1) >= kMostPrinted) return;
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    std::fprintf(stderr, "order_check: violation after %lld operations: %s\n",
                 static_cast<long long>(g_operations.load()), line);
}

int64_t violations() { return g_violations.load(); }

void expect_success(int code, const char* call) {
    if (code != 0) violation("%s returned %d", call, code);
}

Activity::Activity(const char* name) {
    for (State& state : g_states) {
        if (state.used.exchange(true)) continue;
        state.name = name;
        t_state = &state;
        return;
    }
}

Activity::~Activity() {
    if (t_state != nullptr) t_state->used = false;
    t_state = nullptr;
}

void Activity::set(const char* what) {
    if (t_state != nullptr) t_state->what.store(what, std::memory_order_relaxed);
}

void start_watchdog(int seconds) {
    std::thread([seconds] {
        using Clock = std::chrono::steady_clock;
        int64_t seen = -1;
        auto since = Clock::now();
        for (;;) {
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            if (const int64_t now = g_operations.load(); now != seen) {
                seen = now;
                since = Clock::now();
            } else if (Clock::now() - since > std::chrono::seconds(seconds)) {
                stalled(seconds);
            }
        }
    }).detach();
}

}  // namespace order
