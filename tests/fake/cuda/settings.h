// The fake driver's environment variables, the faults it injects and the things it counts. Any thread; see fake_cuda.h.
#pragma once

#include <atomic>
#include <cstdint>

#include "fake/cuda/cuda_driver.h"
#include "fake/environment.h"

namespace fake {

constexpr uint32_t kMostQueued = 1024;
constexpr int kMostDevices = 2;

struct Settings {
    std::atomic<uint32_t> queue{kMostQueued};
    std::atomic<uint32_t> hardware_queues{0};  // of a priority; 0: each stream has its own
    std::atomic<int> devices{kMostDevices};
    std::atomic<int64_t> delay_us{0};
    std::atomic<int64_t> memory_bytes{0};  // 0: the usual
    std::atomic<uint64_t> seed{0};
    std::atomic<bool> no_memops{false};
    std::atomic<bool> no_concurrent_managed{false};
    std::atomic<bool> no_descriptors{false};
    std::atomic<bool> noop{false};
    std::atomic<bool> copy_lock{false};
    std::atomic<bool> sync_lock{false};
    std::atomic<bool> blind_waits{false};
    std::atomic<bool> graph_streams{false};
    std::atomic<bool> lazy_loading{false};
    std::atomic<bool> faults{false};
    std::atomic<Break> break_mode{Break::kNone};
};
extern Settings g_settings;

inline bool noop() { return g_settings.noop.load(std::memory_order_relaxed); }

// A random number below `bound` (at least 1), from a generator of this thread.
uint64_t random_below(uint64_t bound);
// True once in `once_in` times if FAKE_CUDA_BREAK_ORDER names this mode.
bool break_now(Break mode, uint64_t once_in = 64);

// One misuse of the driver: counted, and a line on standard error.
[[gnu::format(printf, 1, 2)]] void report_misuse(const char* format, ...);

// The kind of thread that calls the driver. XSched's own threads must not call it: the driver may block them, and
// then what they have stopped stays stopped. Only the errands thread may, and not for a stream of the program.
enum class Caller { kProgram, kErrands, kForbidden };
Caller caller();
// Ends the process with a line on standard error.
[[noreturn]] void forbid_caller(const char* what);

// One of the fake driver's functions: counts its calls and knows the faults set for it. Created at its first call.
class Function {
public:
    explicit Function(const char* name);
    // First thing of every call: the code to fail with, or CUDA_SUCCESS.
    CUresult enter() {
        calls_.fetch_add(1, std::memory_order_relaxed);
        if (caller() == Caller::kForbidden) forbid_caller(name_);
        if (!g_settings.faults.load(std::memory_order_relaxed)) return CUDA_SUCCESS;
        return injected();
    }
    static long calls(const char* name);
    static void forget_calls();

private:
    CUresult injected();
    const char* name_;
    std::atomic<long> calls_{0};
    std::atomic<long> faulty_calls_{0};
    Function* before_ = nullptr;
};

int64_t clock_ns();
// For a moment of a wait that lasts at most so long. A short one is spun through: on a busy machine it takes
// milliseconds until a thread that leaves the processor has it back.
void pass_moment(int64_t left_ns);

// Set while this thread runs a host function or callback of the program's.
extern thread_local bool t_in_host_function;
// Set while this thread is in the per-thread variant of an entry point: what the stream NULL means.
extern thread_local bool t_per_thread;
struct PerThread {
    PerThread() : before(t_per_thread) { t_per_thread = true; }
    ~PerThread() { t_per_thread = before; }
    PerThread(const PerThread&) = delete;
    PerThread& operator=(const PerThread&) = delete;
    bool before;
};

extern std::atomic<bool> g_initialized;
void wait_while_locked();  // card.h

}  // namespace fake

// First line of every entry point that may be called at any time.
#define FAKE_ENTRY_EARLY()                         \
    static fake::Function this_function(__func__); \
    if (CUresult injected = this_function.enter(); injected != CUDA_SUCCESS) return injected
// First line of all others.
#define FAKE_ENTRY()                                                                             \
    fake::wait_while_locked();                                                                   \
    FAKE_ENTRY_EARLY();                                                                          \
    if (!fake::g_initialized.load(std::memory_order_acquire)) return CUDA_ERROR_NOT_INITIALIZED; \
    if (fake::t_in_host_function) {                                                              \
        fake::report_misuse("%s was called from a host function", __func__);                     \
        return CUDA_ERROR_NOT_PERMITTED;                                                         \
    }
#define FAKE_TRY(call) \
    if (CUresult failed = (call); failed != CUDA_SUCCESS) return failed

// The per-thread variant of an entry point: FAKE_PER_THREAD(name, suffix, (parameters), (arguments)).
#define FAKE_PER_THREAD(name, suffix, parameters, arguments) \
    CUresult CUDAAPI name##suffix parameters {               \
        const fake::PerThread per_thread;                    \
        return name arguments;                               \
    }
