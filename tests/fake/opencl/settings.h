// The fake platform's environment variables, and the faults it injects. Any thread; see fake_cl.h.
#pragma once

#include <atomic>
#include <cstdint>

#include "fake/environment.h"
#include "fake/opencl/cl.h"

namespace fake {

enum class CallbackThread { kDriver, kSeparate, kInline };

struct Settings {
    std::atomic<int64_t> delay_us{0};
    std::atomic<bool> noop{false};
    std::atomic<bool> defer_until_flush{false};
    std::atomic<bool> no_user_events{false};
    std::atomic<bool> random_order{false};
    std::atomic<bool> watch_calls{true};  // false: entry() has nothing to do
    std::atomic<uint64_t> seed{0};
    std::atomic<CallbackThread> callback_thread{CallbackThread::kDriver};
    std::atomic<Break> break_mode{Break::kNone};
};
extern Settings g_settings;

void reload_settings();

// Returns a random number below `bound` (at least 1), from a generator of this thread.
uint64_t random_below(uint64_t bound);
// Returns true once in a while if FAKE_CL_BREAK_ORDER names this mode.
bool break_now(Break mode);

cl_int entry_slow(const char* function);
// Called in the first line of every entry point. Returns the code to fail with, or 0.
inline cl_int entry(const char* function) {
    return g_settings.watch_calls.load(std::memory_order_relaxed) ? entry_slow(function) : CL_SUCCESS;
}
// Returns, and forgets, the status that FAKE_CL_FAIL ...:async wants for the command of the call this thread is in; 0:
// none.
cl_int take_async_failure();
long call_count(const char* function);

}  // namespace fake

#define FAKE_ENTRY()                                                       \
    if (cl_int injected = fake::entry(__func__); injected != CL_SUCCESS) { \
        return injected;                                                   \
    }
// The first line of entry points that return a handle: an injected fault is stored in errcode_ret.
#define FAKE_ENTRY_HANDLE(errcode_ret)                                     \
    if (cl_int injected = fake::entry(__func__); injected != CL_SUCCESS) { \
        return fake::refuse(errcode_ret, injected);                        \
    }
