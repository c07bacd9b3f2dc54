// Violations found, progress made, and the watchdog that turns a deadlock into a message. Any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace order {

// Counts one violation; the first few are printed to standard error.
[[gnu::format(printf, 1, 2)]] void violation(const char* format, ...);
int64_t violations();

// An OpenCL call that must not fail.
void expect_success(int code, const char* call);

extern std::atomic<int64_t> g_operations;
inline void count_operation() { g_operations.fetch_add(1, std::memory_order_relaxed); }

// Notes what a thread is doing at present, which is printed if the run stalls. `what` must be a literal.
class Activity {
public:
    explicit Activity(const char* name);  // of the thread, once per thread
    ~Activity();
    Activity(const Activity&) = delete;
    Activity& operator=(const Activity&) = delete;
    static void set(const char* what);
};

// Starts a thread that ends the program with status 3 and a message if nothing has moved for `seconds`; standard error
// then shows what each thread is in, and its stack.
void start_watchdog(int seconds);

}  // namespace order
