// The XQueue of a BusyDevice's queue, for programs that know of XSched: its C interface, found at run time.
#pragma once

#include <dlfcn.h>

#include <stdexcept>
#include <string>

#include "busy_device.h"
#include "xsched/types.h"

namespace busy {

// Throws std::runtime_error with a sentence; one thread.
class OwnQueue {
public:
    explicit OwnQueue(void* queue) {
        void* preempt = dlopen("libpreempt.so.1", RTLD_NOW | RTLD_NOLOAD);
        void* hal = dlopen(BusyDevice::kHalLibrary, RTLD_NOW | RTLD_NOLOAD);
        if (preempt == nullptr || hal == nullptr) throw std::runtime_error("XSched is not loaded: use xcli run");
        const auto hwqueue_get = find<XResult (*)(HwQueueHandle*, void*)>(hal, BusyDevice::kHwQueueGet);
        const auto xqueue_get = find<XResult (*)(XQueueHandle*, HwQueueHandle)>(preempt, "XQueueGet");
        suspend_ = find<XResult (*)(XQueueHandle, int64_t)>(preempt, "XQueueSuspend");
        prioritize_ = find<XResult (*)(XQueueHandle, Priority)>(preempt, "XHintPriority");
        use_level_ = find<XResult (*)(XQueueHandle, XPreemptLevel)>(preempt, "XQueueSetPreemptLevel");
        expect_ = find<XResult (*)(XQueueHandle, int64_t)>(preempt, "XHintExpect");
        resume_ = find<XResult (*)(XQueueHandle, int64_t)>(preempt, "XQueueResume");
        HwQueueHandle hwq = 0;
        check(hwqueue_get(&hwq, queue), BusyDevice::kHwQueueGet);
        check(xqueue_get(&handle_, hwq), "XQueueGet");
    }
    void suspend() { check(suspend_(handle_, kQueueSuspendFlagNone), "XQueueSuspend"); }
    void resume() { check(resume_(handle_, kQueueResumeFlagNone), "XQueueResume"); }
    void prioritize(Priority priority) { check(prioritize_(handle_, priority), "XHintPriority"); }
    void use_level(int level) {
        check(use_level_(handle_, static_cast<XPreemptLevel>(level)), "XQueueSetPreemptLevel");
    }
    // Announces that the queue's next burst begins `us` microseconds from now. A burst that is already late (0 or less)
    // is not announced.
    void expect(int64_t us) {
        if (us > 0) check(expect_(handle_, us), "XHintExpect");
    }

private:
    template <typename F>
    static F find(void* library, const char* name) {
        if (void* found = dlsym(library, name)) return reinterpret_cast<F>(found);
        throw std::runtime_error(std::string("XSched has no ") + name);
    }
    static void check(XResult result, const char* call) {
        if (result != kXSchedSuccess)
            throw std::runtime_error(std::string(call) + " returns " + std::to_string(static_cast<int>(result)));
    }

    XQueueHandle handle_ = 0;
    XResult (*suspend_)(XQueueHandle, int64_t) = nullptr;
    XResult (*resume_)(XQueueHandle, int64_t) = nullptr;
    XResult (*prioritize_)(XQueueHandle, Priority) = nullptr;
    XResult (*use_level_)(XQueueHandle, XPreemptLevel) = nullptr;
    XResult (*expect_)(XQueueHandle, int64_t) = nullptr;
};

}  // namespace busy
