#include "platform/cuda/shim/contexts.h"

#include "platform/stream/shim/memory/evictable.h"
#include "platform/stream/shim/memory/memory_account.h"
#include "platform/stream/shim/memory/opened_memory.h"
#include "platform/stream/shim/memory/spare_memory.h"

namespace xsched::cuda {
namespace {

constexpr int kMostDevices = 64;

struct Primary {
    std::atomic<CUcontext> context{nullptr};
    std::atomic<int32_t> references{0};  // the program's, as far as we saw them
};
constinit Primary g_primary[kMostDevices] = {};

Primary* primary(CUdevice device) { return device >= 0 && device < kMostDevices ? &g_primary[device] : nullptr; }

// Returns the device's primary context, even if its creation was not seen. nullptr: there is none at present.
CUcontext primary_context(CUdevice device) {
    const stream::Api& api = *HAL(api)();
    unsigned flags = 0;
    int active = 0;
    CUcontext context = nullptr;
    if (api.cuDevicePrimaryCtxGetState(device, &flags, &active) != CUDA_SUCCESS || active == 0 ||
        api.cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS)
        return nullptr;
    api.cuDevicePrimaryCtxRelease_v2(device);
    return context;
}

}  // namespace

void context_going(CUcontext context) {
    stream::memory::forget_spares(context);
    stream::context_going(context);
    stream::memory::forget_memory_of(context);
}

void primary_retained(CUdevice device, CUcontext context) {
    Primary* known = primary(device);
    if (known == nullptr) return;
    known->context.store(context, std::memory_order_release);
    known->references.fetch_add(1, std::memory_order_acq_rel);
}

void primary_releasing(CUdevice device) {
    Primary* known = primary(device);
    if (known == nullptr || known->references.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    // The last reference of which the shim knows is gone, so the context's queues end. If there are other references,
    // the queues are created again at their next use.
    known->references.store(0, std::memory_order_release);
    context_going(known->context.exchange(nullptr, std::memory_order_acq_rel));
}

void primary_resetting(CUdevice device) {
    Primary* known = primary(device);
    if (known == nullptr) return;
    known->context.store(nullptr, std::memory_order_release);
    context_going(primary_context(device));
}

CUcontext context_of_green(CUgreenCtx green) {
    CUcontext context = nullptr;
    const auto convert = driver<stream::kEntry_cuCtxFromGreenCtx>();
    return convert != nullptr && convert(&context, green) == CUDA_SUCCESS ? context : nullptr;
}

}  // namespace xsched::cuda
