#include "device/cuda/driver_use.h"

#include "device/cuda/hal_abi.h"
#include "device/cuda/hwqueue.h"

namespace xsched::cuda {
namespace {

constinit base::FutexWord g_uses{0};    // guards of the whole process
constinit base::FutexWord g_pauses{0};  // xcu_pause calls in force

void leave_process() {
    if (g_uses.fetch_sub(1, std::memory_order_seq_cst) == 1 && g_pauses.load(std::memory_order_seq_cst) != 0)
        base::futex_wake_all(g_uses);
}

void enter_process() {
    for (;;) {
        g_uses.fetch_add(1, std::memory_order_seq_cst);
        const uint32_t pauses = g_pauses.load(std::memory_order_seq_cst);
        if (pauses == 0) return;
        leave_process();
        base::futex_wait(g_pauses, pauses);
    }
}

}  // namespace

bool Users::enter() {
    if ((word_.fetch_add(1, std::memory_order_acq_rel) & kEnded) == 0) return true;
    leave();
    return false;
}

void Users::leave() {
    if (word_.fetch_sub(1, std::memory_order_acq_rel) == kEnded + 1) base::futex_wake_all(word_);
}

void Users::end() {
    uint32_t now = word_.fetch_or(kEnded, std::memory_order_acq_rel) | kEnded;
    while (now != kEnded) {
        base::futex_wait(word_, now);
        now = word_.load(std::memory_order_acquire);
    }
}

DriverUse::DriverUse(HwQueue& hwq, bool touches_stream) : hwq_(hwq) {
    foreign_ = hwq.kind == StreamKind::kPerThread && hwq.thread != thread_number();
    enter_process();
    if (!hwq.users.enter()) {
        verdict_ = kXSchedErrorHardware;
        leave_process();
        return;
    }
    const CuApi& api = *hwq.api;
    CUcontext current = nullptr;
    if (touches_stream && foreign_)
        verdict_ = kXSchedErrorNotAllowed;
    else if (api.cuCtxGetCurrent(&current) != CUDA_SUCCESS)
        verdict_ = kXSchedErrorHardware;
    else if (current != hwq.context)
        verdict_ = api.cuCtxPushCurrent_v2(hwq.context) == CUDA_SUCCESS ? kXSchedSuccess : kXSchedErrorHardware;
    pushed_ = verdict_ == kXSchedSuccess && current != hwq.context;
    if (verdict_ == kXSchedSuccess) return;
    hwq.users.leave();
    leave_process();
}

DriverUse::~DriverUse() {
    if (verdict_ != kXSchedSuccess) return;
    CUcontext popped = nullptr;
    if (pushed_) hwq_.api->cuCtxPopCurrent_v2(&popped);
    hwq_.users.leave();
    leave_process();
}

bool DriverUse::capturing() const {
    if (foreign_) return true;
    int status = CU_STREAM_CAPTURE_STATUS_NONE;
    // An error is one, too: the legacy stream beside a captured blocking stream.
    return hwq_.api->cuStreamIsCapturing(hwq_.stream, &status) != CUDA_SUCCESS ||
           status != CU_STREAM_CAPTURE_STATUS_NONE;
}

}  // namespace xsched::cuda

extern "C" void xcu_pause(void) {
    using namespace xsched;
    cuda::g_pauses.fetch_add(1, std::memory_order_seq_cst);
    for (uint32_t uses; (uses = cuda::g_uses.load(std::memory_order_seq_cst)) != 0;)
        base::futex_wait(cuda::g_uses, uses);
}

extern "C" void xcu_unpause(void) {
    using namespace xsched;
    cuda::g_pauses.fetch_sub(1, std::memory_order_seq_cst);
    base::futex_wake_all(cuda::g_pauses);
}
