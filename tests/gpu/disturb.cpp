// Suspends and resumes the XQueues of a process at random, for tests: programs must not notice. It does so from a
// native thread of its own, which goes on while an interpreter's lock is held. Loaded into the program under test; it
// uses the C interface as any program may.
#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "xsched/types.h"

namespace {

constexpr int kLongestUs = 3000;

struct Api {
    XResult (*hwqueue_get)(HwQueueHandle*, void* stream) = nullptr;
    XResult (*xqueue_get)(XQueueHandle*, HwQueueHandle) = nullptr;
    XResult (*suspend)(XQueueHandle, int64_t) = nullptr;
    XResult (*resume)(XQueueHandle, int64_t) = nullptr;
};

Api api;
struct Target {
    void* stream;
    XQueueHandle queue = 0;  // once it has one
};

std::mutex mutex;
std::vector<Target> targets;
std::atomic<bool> stopping{false};
std::atomic<long> suspends{0};
std::atomic<long> refusals{0};
std::thread thread;

void sleep_at_most(std::mt19937& random, int us) {
    std::this_thread::sleep_for(std::chrono::microseconds(random() % static_cast<unsigned>(us) + 1));
}

// Chooses a random stream among the targets and returns its XQueue; 0: the stream has none yet.
XQueueHandle choose(std::mt19937& random) {
    const std::lock_guard lock(mutex);
    Target& target = targets[random() % targets.size()];
    HwQueueHandle hwq = 0;
    if (target.queue == 0 && api.hwqueue_get(&hwq, target.stream) == kXSchedSuccess) api.xqueue_get(&target.queue, hwq);
    return target.queue;
}

void run(unsigned seed) {
    std::mt19937 random(seed);
    while (!stopping) {
        if (const XQueueHandle queue = choose(random); queue != 0) {
            const int64_t flags = random() % 4 == 0 ? kQueueSuspendFlagSyncHwQueue : kQueueSuspendFlagNone;
            if (api.suspend(queue, flags) != kXSchedSuccess) ++refusals;
            sleep_at_most(random, kLongestUs);
            if (api.resume(queue, kQueueResumeFlagNone) != kXSchedSuccess) ++refusals;
            ++suspends;
        }
        sleep_at_most(random, kLongestUs);
    }
}

template <typename F>
bool find(F& function, void* library, const char* name) {
    function = library == nullptr ? nullptr : reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
}

}  // namespace

extern "C" {

// Adds a stream (a CUstream) to those that are suspended and resumed at random. It must live as long as the process.
__attribute__((visibility("default"))) void disturb_add(void* stream) {
    const std::lock_guard lock(mutex);
    targets.push_back({stream});
}

// Starts with the streams added so far. Returns NULL, or what is wrong.
__attribute__((visibility("default"))) const char* disturb_start(const char* libpreempt, const char* libhal,
                                                                 unsigned seed) {
    void* preempt = dlopen(libpreempt, RTLD_NOW | RTLD_NOLOAD);
    void* hal = dlopen(libhal, RTLD_NOW | RTLD_NOLOAD);
    if (preempt == nullptr || hal == nullptr) return "the shim is not loaded into this process";
    if (!find(api.hwqueue_get, hal, "CudaQueueGet") || !find(api.xqueue_get, preempt, "XQueueGet") ||
        !find(api.suspend, preempt, "XQueueSuspend") || !find(api.resume, preempt, "XQueueResume"))
        return "the C interface lacks a function";
    if (targets.empty()) return "no stream was added";
    thread = std::thread(run, seed);
    return nullptr;
}

// Everything is resumed when this returns. Counts of suspends, and of calls that were refused.
__attribute__((visibility("default"))) void disturb_stop(long* suspended, long* refused) {
    stopping = true;
    if (thread.joinable()) thread.join();
    *suspended = suspends;
    *refused = refusals;
}
}
