#include "device/cuda/hwqueue.h"

#include <new>

#include "base/log.h"
#include "base/mutex.h"
#include "base/options.h"
#include "device/cuda/interrupt.h"
#include "device/cuda/pinned_words.h"

namespace xsched::cuda {
namespace {

constexpr uint32_t kOpen = 1;  // what the gate's word must reach
constexpr int kMostDevices = 64;
constexpr uint32_t kFewSpares = 64;  // as many ended wrappers rest before one is used again

enum ValueOperations : int { kUntried, kWork, kRefused };
constinit std::atomic<int> g_value_operations[kMostDevices] = {};

constinit base::Mutex g_spare_mutex;
constinit HwQueue* g_first_spare = nullptr;
constinit HwQueue* g_last_spare = nullptr;
constinit uint32_t g_spares = 0;

HwQueue& of(void* hwq) { return *static_cast<HwQueue*>(hwq); }

// Codes of a context or stream that the program has torn down: ordinary at its end.
bool torn_down(CUresult code) {
    return code == CUDA_ERROR_NOT_INITIALIZED || code == CUDA_ERROR_DEINITIALIZED ||
           code == CUDA_ERROR_INVALID_CONTEXT || code == CUDA_ERROR_INVALID_HANDLE ||
           code == CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

XResult checked(HwQueue& hwq, const char* function, CUresult code) {
    if (code == CUDA_SUCCESS) return kXSchedSuccess;
    const char* name = nullptr;
    if (hwq.api->cuGetErrorName == nullptr || hwq.api->cuGetErrorName(code, &name) != CUDA_SUCCESS || name == nullptr)
        name = "unknown";
    if (torn_down(code) || hwq.refused.exchange(true, std::memory_order_relaxed))
        XLOG_DEBG("cuda error %d (%s) from %s on stream %p", code, name, function, static_cast<void*>(hwq.stream));
    else
        XLOG_WARN("cuda error %d (%s) from %s on stream %p: its work is not kept track of from here on", code, name,
                  function, static_cast<void*>(hwq.stream));
    return kXSchedErrorHardware;
}

void say_no_gates(const HwQueue& hwq, const char* why, CUresult code) {
    static constinit std::atomic<bool> said{false};
    XSCHED_LOG(said.exchange(true) ? base::LogLevel::kDebug : base::LogLevel::kInfo,
               "no gates on device %d: %s (cuda error %d); its streams use preempt level 1", hwq.device, why, code);
}

std::atomic<int>& tried(const HwQueue& hwq) {
    return g_value_operations[hwq.device >= 0 && hwq.device < kMostDevices ? hwq.device : 0];
}

// Whether the device takes value operations: the first stream of a device tries. `idle`: the stream may be used.
bool value_operations_work(HwQueue& hwq, CUdeviceptr gate, bool idle) {
    std::atomic<int>& state = tried(hwq);
    if (state.load(std::memory_order_acquire) == kUntried && idle) {
        // Met at once, whatever the word holds: it is 0 or 1.
        const CUresult code = hwq.api->cuStreamWaitValue32_v2(hwq.stream, gate, 0, CU_STREAM_WAIT_VALUE_GEQ);
        if (code != CUDA_SUCCESS && !torn_down(code)) say_no_gates(hwq, "the driver refuses stream wait-values", code);
        if (!torn_down(code)) state.store(code == CUDA_SUCCESS ? kWork : kRefused, std::memory_order_release);
    }
    return state.load(std::memory_order_acquire) != kRefused;
}

// Under a DriverUse.
bool pin(HwQueue& hwq, const DriverUse& use) {
    const CuApi& api = *hwq.api;
    if (api.cuStreamWaitValue32_v2 == nullptr || api.cuStreamWriteValue32_v2 == nullptr) {
        say_no_gates(hwq, "the driver has no cuStreamWaitValue32_v2", CUDA_ERROR_NOT_SUPPORTED);
        return false;
    }
    const uint32_t epoch = pin_epoch();
    CUdeviceptr gate = 0;
    CUdeviceptr progress = 0;
    CUresult code = CUDA_SUCCESS;
    {
        RelaxedCapture relaxed(api);
        if (!pin_word(api, hwq.context, hwq.gate.load(), &gate, &code) ||
            !pin_word(api, hwq.context, hwq.progress.load(), &progress, &code)) {
            if (!torn_down(code)) say_no_gates(hwq, "the shared memory cannot be registered with the driver", code);
            return false;
        }
    }
    hwq.device_gate.store(gate, std::memory_order_relaxed);
    hwq.device_progress.store(progress, std::memory_order_relaxed);
    hwq.epoch.store(epoch, std::memory_order_release);
    return value_operations_work(hwq, gate, !use.capturing());
}

XResult bind(void* self, uint32_t* gate, uint32_t* progress) {
    HwQueue& hwq = of(self);
    const DriverUse use(hwq, false);
    hwq.gate.store(gate, std::memory_order_relaxed);
    hwq.progress.store(progress, std::memory_order_relaxed);
    const bool works = use.verdict() == kXSchedSuccess && pin(hwq, use);
    hwq.value_operations.store(works, std::memory_order_release);
    return works ? kXSchedSuccess : kXSchedErrorNotSupported;
}

// Under a DriverUse: the device addresses hold, or hold again.
bool words_in_place(HwQueue& hwq, const DriverUse& use) {
    return hwq.epoch.load(std::memory_order_acquire) == pin_epoch() || pin(hwq, use);
}

uint64_t words_owner(void* self) { return reinterpret_cast<uint64_t>(of(self).context); }

XResult gate_wait(void* self) {
    HwQueue& hwq = of(self);
    const DriverUse use(hwq);
    if (use.verdict() != kXSchedSuccess) return use.verdict();
    if (use.capturing()) return kXSchedErrorNotAllowed;
    if (!hwq.value_operations.load(std::memory_order_acquire) || !words_in_place(hwq, use))
        return kXSchedErrorNotSupported;
    return checked(hwq, "cuStreamWaitValue32",
                   hwq.api->cuStreamWaitValue32_v2(hwq.stream, hwq.device_gate.load(std::memory_order_relaxed), kOpen,
                                                   CU_STREAM_WAIT_VALUE_GEQ));
}

XResult progress_write(void* self, uint32_t value) {
    HwQueue& hwq = of(self);
    const DriverUse use(hwq);
    if (use.verdict() != kXSchedSuccess) return use.verdict();
    if (use.capturing()) return kXSchedErrorNotAllowed;
    if (hwq.value_operations.load(std::memory_order_acquire) && words_in_place(hwq, use))
        return checked(hwq, "cuStreamWriteValue32",
                       hwq.api->cuStreamWriteValue32_v2(
                           hwq.stream, hwq.device_progress.load(std::memory_order_relaxed), value, 0));
    const CUresult code = hwq.events.record(*hwq.api, hwq.stream, value);
    return code == CUDA_ERROR_NOT_READY ? kXSchedErrorNotAllowed : checked(hwq, "cuEventRecord", code);
}

XResult progress_read(void* self, uint32_t* value) {
    HwQueue& hwq = of(self);
    const DriverUse use(hwq, false);
    if (use.verdict() != kXSchedSuccess) return use.verdict();
    RelaxedCapture relaxed(*hwq.api);
    *value = hwq.events.passed(*hwq.api, *value);
    return kXSchedSuccess;
}

XResult synchronize(void* self) {
    HwQueue& hwq = of(self);
    CUstream stream = nullptr;
    CUcontext current = nullptr;
    {
        const DriverUse use(hwq);
        if (use.verdict() != kXSchedSuccess) return use.verdict();
        if (use.capturing()) return kXSchedErrorNotAllowed;
        stream = hwq.stream;
    }
    // Without the guard: this may last, and a capture that begins elsewhere must not wait for it.
    const CuApi& api = *hwq.api;
    const bool push = api.cuCtxGetCurrent(&current) == CUDA_SUCCESS && current != hwq.context;
    if (push && api.cuCtxPushCurrent_v2(hwq.context) != CUDA_SUCCESS) return kXSchedErrorHardware;
    const CUresult code = api.cuStreamSynchronize(stream);
    if (push) api.cuCtxPopCurrent_v2(&current);
    return checked(hwq, "cuStreamSynchronize", code);
}

void destroy(void* self) {
    HwQueue& hwq = of(self);
    hwq.users.end();
    leave_interrupts(hwq);
    hwq.events.clear(*hwq.api);
    if (hwq.retained) hwq.api->cuDevicePrimaryCtxRelease_v2(hwq.device);
    base::Lock lock(g_spare_mutex);
    hwq.next_spare = nullptr;
    (g_last_spare != nullptr ? g_last_spare->next_spare : g_first_spare) = &hwq;
    g_last_spare = &hwq;
    ++g_spares;
}

constexpr XqDeviceOps make_ops(uint32_t levels) {
    XqDeviceOps ops{};
    ops.abi = XQ_DEVICE_ABI;
    ops.levels = levels;
    ops.platform = kPlatformCUDA;
    ops.in_order = 1;
    ops.synchronize = synchronize;
    ops.throttle = 1;
    ops.bind = bind;
    ops.words_owner = words_owner;
    ops.gate_wait = gate_wait;
    ops.progress_write = progress_write;
    ops.progress_read = progress_read;
    if ((levels & 1u << kPreemptLevelInterrupt) != 0) {
        ops.interrupt = interrupt;
        ops.restore = restore;
        ops.set_timeslice = set_timeslice;
    }
    ops.destroy = destroy;
    return ops;
}

constexpr XqDeviceOps kInterruptOps =
    make_ops(1u << kPreemptLevelBlock | 1u << kPreemptLevelDeactivate | 1u << kPreemptLevelInterrupt);
constexpr XqDeviceOps kGateOps = make_ops(1u << kPreemptLevelBlock | 1u << kPreemptLevelDeactivate);
constexpr XqDeviceOps kBlockOps = make_ops(1u << kPreemptLevelBlock);

HwQueue* take_hwqueue() {
    base::Lock lock(g_spare_mutex);
    if (g_spares <= kFewSpares) return new (std::nothrow) HwQueue;
    HwQueue* hwq = g_first_spare;
    g_first_spare = hwq->next_spare;
    --g_spares;
    return hwq;
}

bool is_primary(const CuApi& api, CUcontext context, CUdevice device) {
    unsigned flags = 0;
    int active = 0;
    CUcontext primary = nullptr;
    if (api.cuDevicePrimaryCtxGetState(device, &flags, &active) != CUDA_SUCCESS || active == 0) return false;
    if (api.cuDevicePrimaryCtxRetain(&primary, device) != CUDA_SUCCESS) return false;
    if (primary == context) return true;
    api.cuDevicePrimaryCtxRelease_v2(device);
    return false;
}

}  // namespace

HwQueue* make_hwqueue(const CuApi& api, StreamKind kind, CUstream stream, CUcontext context, bool retain) {
    CUdevice device = 0;
    if (api.cuCtxGetDevice(&device) != CUDA_SUCCESS) return nullptr;
    HwQueue* hwq = take_hwqueue();
    if (hwq == nullptr) return nullptr;
    hwq->api = &api;
    hwq->kind = kind;
    hwq->stream = stream;
    if (kind == StreamKind::kLegacy) hwq->stream = nullptr;
    if (kind == StreamKind::kPerThread) hwq->stream = reinterpret_cast<CUstream>(kPerThreadStream);
    hwq->context = context;
    hwq->device = device;
    hwq->thread = kind == StreamKind::kPerThread ? thread_number() : 0;
    hwq->retained = retain && is_primary(api, context, device);
    hwq->refused.store(false, std::memory_order_relaxed);
    hwq->value_operations.store(false, std::memory_order_relaxed);
    hwq->users.restart();
    hwq->asks_interrupt = false;
    // Asked for, not yet the default: it has met only a stand-in of the kernel driver.
    const base::Options& options = base::options();
    const bool may_interrupt = options.interrupt != 0 || options.level == kPreemptLevelInterrupt;
    hwq->interruptible = may_interrupt && join_interrupts(*hwq);
    return hwq;
}

const XqDeviceOps* ops_of(const HwQueue& hwq) {
    const bool gates = hwq.api->cuStreamWaitValue32_v2 != nullptr && hwq.api->cuStreamWriteValue32_v2 != nullptr &&
                       tried(hwq).load(std::memory_order_relaxed) != kRefused;
    if (!gates) return &kBlockOps;
    return hwq.interruptible ? &kInterruptOps : &kGateOps;
}

}  // namespace xsched::cuda
