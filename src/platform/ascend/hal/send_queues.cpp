// Level 2: pauses all send queues that this process has on an NPU, by a call of the driver's library (halSqCqConfig of
// libascend_hal.so, with which CANN's runtime recovers from faults). It is off unless XSCHED_ASCEND_PAUSE=1 says so,
// since its effect on running work has not been measured. The agent's thread makes the calls, without a lock of ours.
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "base/log.h"
#include "base/mutex.h"
#include "base/options.h"
#include "platform/ascend/hal/send_queue_request.h"
#include "platform/stream/hal/hwqueue.h"
#include "platform/stream/hal/linker.h"
#include "platform/stream/hal/signals.h"
#include "platform/stream/hal/vendor_library.h"

namespace xsched::stream {
namespace {

using ascend::ConfigureSendQueues;
using ascend::SendQueueRequest;

struct Npu {
    uint32_t queues = 0;  // of this process; guarded by g_npus_mutex, as are the next ones
    uint32_t asking = 0;
    bool paused = false;
    bool calling = false;  // a thread makes the call, and looks again afterwards
};
constinit base::Mutex g_npus_mutex;
constinit Npu g_npus[kMostDevices];
constinit bool g_over = false;  // the process ends: nothing is paused any more
constinit pid_t g_process = 0;  // whose queues these are
constinit std::atomic<ConfigureSendQueues> g_configure{nullptr};

Npu& npu_of(const HwQueue& hwq) { return g_npus[device_index(hwq.device)]; }

int configure(int device, bool pause) {
    SendQueueRequest request;
    request.property = pause ? ascend::kPauseSendQueues : ascend::kResumeSendQueues;
    const int code = g_configure.load(std::memory_order_acquire)(static_cast<uint32_t>(device), &request);
    if (code != 0)
        XLOG_WARN("driver error %d from halSqCqConfig: the send queues of device %d do not %s", code, device,
                  pause ? "pause" : "resume");
    return code;
}

// Makes the NPU's state what its queues ask for. Returns the driver's code.
int settle(int device) {
    Npu& npu = g_npus[device];
    int code = 0;
    g_npus_mutex.lock();
    for (;;) {
        const bool wanted = npu.queues != 0 && npu.asking == npu.queues && !g_over;
        if (npu.calling || wanted == npu.paused || code != 0) break;
        npu.calling = true;
        g_npus_mutex.unlock();
        code = configure(device, wanted);
        g_npus_mutex.lock();
        npu.calling = false;
        if (code == 0) npu.paused = wanted;
    }
    g_npus_mutex.unlock();
    return code;
}

// Runs when the process exits, before the driver waits for its queues.
void resume_all() {
    {
        base::Lock lock(g_npus_mutex);
        if (g_process != getpid()) return;
        g_over = true;
    }
    for (int device = 0; device < kMostDevices; ++device) settle(device);
}

bool finds_call() {
    if (g_configure.load(std::memory_order_acquire) != nullptr) return true;
    void* library = HAL(open_driver)();
    const auto call =
        library != nullptr ? reinterpret_cast<ConfigureSendQueues>(linker_dlsym()(library, "halSqCqConfig")) : nullptr;
    g_configure.store(call, std::memory_order_release);
    return call != nullptr;
}

}  // namespace

bool join_pauses(HwQueue& hwq) {
    if (base::options().ascend_pause == 0) return false;
    if (!finds_call()) {
        XLOG_WARN("XSCHED_ASCEND_PAUSE=1 has no effect: the driver's library has no halSqCqConfig");
        return false;
    }
    base::Lock lock(g_npus_mutex);
    if (g_process == 0) std::atexit(resume_all);
    if (g_process != 0 && g_process != getpid()) return false;  // CANN does not go on in a forked child
    g_process = getpid();
    hwq.asks_pause = false;
    ++npu_of(hwq).queues;
    return true;
}

void leave_pauses(HwQueue& hwq) {
    if (!hwq.pauses) return;
    {
        base::Lock lock(g_npus_mutex);
        hwq.pauses = false;
        --npu_of(hwq).queues;
        if (hwq.asks_pause) --npu_of(hwq).asking;
        hwq.asks_pause = false;
    }
    settle(device_index(hwq.device));
}

XResult ask_pause(HwQueue& hwq, bool pause) {
    {
        base::Lock lock(g_npus_mutex);
        if (!hwq.pauses || g_process != getpid()) return kXSchedSuccess;
        if (hwq.asks_pause != pause) npu_of(hwq).asking += pause ? 1 : -1;
        hwq.asks_pause = pause;
    }
    return settle(device_index(hwq.device)) == 0 ? kXSchedSuccess : kXSchedErrorNotAllowed;
}

}  // namespace xsched::stream
