#include "order/chaos.h"

#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <deque>

#include "order/report.h"
#include "xsched/xqueue.h"

namespace order {
namespace {

struct Api {
    XResult (*hwq_of)(HwQueueHandle*, cl_command_queue);
    XResult (*xqueue_of)(XQueueHandle*, HwQueueHandle);
    XResult (*suspend)(XQueueHandle, int64_t);
    XResult (*resume)(XQueueHandle, int64_t);
    bool complete() const {
        return hwq_of != nullptr && xqueue_of != nullptr && suspend != nullptr && resume != nullptr;
    }
};

template <typename Function>
void find(Function& function, const char* name, const char* library) {
    void* symbol = dlsym(RTLD_DEFAULT, name);
    if (symbol == nullptr) {
        if (void* handle = dlopen(library, RTLD_NOLOAD | RTLD_LAZY); handle != nullptr) symbol = dlsym(handle, name);
    }
    function = reinterpret_cast<Function>(symbol);
}

const Api& api() {
    static const Api it = [] {
        Api found{};
        find(found.hwq_of, "OclQueueGet", "libhalopencl.so");
        find(found.xqueue_of, "XQueueGet", "libpreempt.so");
        find(found.suspend, "XQueueSuspend", "libpreempt.so");
        find(found.resume, "XQueueResume", "libpreempt.so");
        return found;
    }();
    return it;
}

constexpr size_t kMostSuspended = 4;

struct Suspended {
    QueuePtr queue;
    XQueueHandle handle;
};

void resume(const Suspended& it) {
    Activity::set("XQueueResume");
    const XResult result = api().resume(it.handle, kQueueResumeFlagNone);
    if (result != kXSchedSuccess) violation("XQueueResume returned %d", result);
}

}  // namespace

bool Chaos::available() {
    if (api().complete()) return true;
    std::fprintf(stderr, "order_check: --chaos needs the XSched libraries in the process; load libshimopencl.so with "
                         "LD_PRELOAD\n");
    return false;
}

Chaos::Chaos(World& world, uint64_t seed) : world_(world), random_(seed), thread_([this] { loop(); }) {}

Chaos::~Chaos() {
    stop_ = true;
    thread_.join();
}

void Chaos::loop() {
    const Activity activity("chaos");
    std::deque<Suspended> suspended;
    while (!stop_.load()) {
        const auto& context = world_.contexts[random_.below(static_cast<uint32_t>(world_.contexts.size()))];
        const QueuePtr queue = context->queue(random_);
        HwQueueHandle hwq = 0;
        XQueueHandle handle = 0;
        if (api().hwq_of(&hwq, queue->handle) == kXSchedSuccess && api().xqueue_of(&handle, hwq) == kXSchedSuccess) {
            // A synchronizing suspend waits for work that may wait for the other queues: they must run meanwhile.
            const bool synchronize = random_.once_in(16);
            while (synchronize && !suspended.empty()) {
                resume(suspended.front());
                suspended.pop_front();
            }
            Activity::set(synchronize ? "XQueueSuspend (synchronizing)" : "XQueueSuspend");
            const XResult result =
                api().suspend(handle, synchronize ? kQueueSuspendFlagSyncHwQueue : kQueueSuspendFlagNone);
            if (result != kXSchedSuccess) violation("XQueueSuspend returned %d", result);
            suspended.push_back({queue, handle});
            suspensions_.fetch_add(1);
        }
        Activity::set("sleeping");
        std::this_thread::sleep_for(std::chrono::microseconds(20 + random_.below(random_.once_in(50) ? 5000 : 300)));
        while (suspended.size() > kMostSuspended || (!suspended.empty() && random_.once_in(2))) {
            resume(suspended.front());
            suspended.pop_front();
        }
    }
    for (const Suspended& it : suspended) resume(it);
}

}  // namespace order
