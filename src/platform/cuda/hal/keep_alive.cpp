// Keeps the device by a kernel that runs and a launch behind it that has not started (measured, docs/decisions/003).
// Once the last launch has started, the front end of the GPU has no more work of this context, and turns to the next
// context. A later launch then waits for the context's next turn, although the kernel still runs. So two empty kernels
// stand behind the one that waits.
#include "platform/cuda/hal/keep_alive.h"

#include "platform/stream/hal/keep_alive_ops.h"
#include "platform/stream/hal/per_context.h"

namespace xsched::cuda {
namespace {

constexpr int kBehind = 2;

// xsched_keep_alive waits until the word is past `number`, or until `ns` have passed. If the word equals `number`, the
// program has launched something: then the kernel waits only `followed` ns longer. They count from the time at which
// the kernel first saw that, or from its begin if the launch was there before.
constexpr char kKernels[] = R"(.version 6.0
.target sm_50
.address_size 64

.visible .entry xsched_keep_alive(.param .u64 word, .param .u32 number, .param .u64 ns, .param .u64 followed)
{
    .reg .pred %reached, %early, %followed;
    .reg .b32 %number, %now, %ahead;
    .reg .b64 %word, %ns, %time, %end, %soon, %limit, %behind;

    ld.param.u64 %word, [word];
    ld.param.u32 %number, [number];
    ld.param.u64 %ns, [ns];
    ld.param.u64 %behind, [followed];
    mov.u64 %time, %globaltimer;
    add.u64 %end, %time, %ns;
    add.u64 %soon, %time, %behind;
again:
    ld.volatile.global.u32 %now, [%word];
    sub.u32 %ahead, %now, %number;
    setp.gt.s32 %reached, %ahead, 0;
    @%reached bra done;
    mov.u64 %time, %globaltimer;
    setp.eq.s32 %followed, %ahead, 0;
    @!%followed add.u64 %soon, %time, %behind;
    selp.b64 %limit, %soon, %end, %followed;
    setp.lt.u64 %early, %time, %limit;
    @%early bra again;
done:
    ret;
}

.visible .entry xsched_nothing()
{
    ret;
}
)";

struct Kernels {
    CUfunction keep_alive;
    CUfunction nothing;
};

constinit stream::PerContext<Kernels> g_kernels;

CUresult find(const stream::Api& api, CUmodule module, const char* name, CUfunction* kernel) {
    const CUresult code = api.cuModuleGetFunction(kernel, module, name);
    int registers = 0;  // asked so that the kernel is loaded now: its first launch would wait for the context's work
    return code != CUDA_SUCCESS ? code : api.cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, *kernel);
}

// Returns whether host and device may touch managed memory at the same time. Otherwise the host may not while any
// kernel runs.
bool host_and_device_share_memory(const stream::Api& api) {
    CUdevice device = 0;
    int together = 0;
    return api.cuCtxGetDevice(&device) == CUDA_SUCCESS &&
           api.cuDeviceGetAttribute(&together, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, device) == CUDA_SUCCESS &&
           together != 0;
}

CUresult launch(const stream::Api& api, CUfunction kernel, CUstream stream, void** parameters) {
    return api.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr);
}

}  // namespace

void forget_keep_alive(CUcontext context) { g_kernels.forget(context); }

}  // namespace xsched::cuda

namespace xsched::stream {

using namespace xsched::cuda;

Result prepare_keep_alive(const Api& api, Context context) {
    if (api.cuModuleLoadData == nullptr || api.cuModuleGetFunction == nullptr || api.cuFuncGetAttribute == nullptr ||
        api.cuLaunchKernel == nullptr || !host_and_device_share_memory(api))
        return CUDA_ERROR_NOT_SUPPORTED;
    Kernels made{};
    if (g_kernels.find(context, &made)) return CUDA_SUCCESS;
    // Loads the module of the keep-alive kernels. The module is destroyed with its context and never unloaded:
    // unloading would wait for the context's work.
    CUmodule module = nullptr;
    Result code = api.cuModuleLoadData(&module, kKernels);
    if (code == CUDA_SUCCESS) code = find(api, module, "xsched_keep_alive", &made.keep_alive);
    if (code == CUDA_SUCCESS) code = find(api, module, "xsched_nothing", &made.nothing);
    if (code != CUDA_SUCCESS) return code;
    return g_kernels.remember(context, made) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

Result keep_alive(const Api& api, Context context, Stream stream, DevicePtr word, uint32_t number, int64_t ns,
                  int64_t followed_ns) {
    Kernels kernels{};
    if (!g_kernels.find(context, &kernels)) return CUDA_ERROR_NOT_SUPPORTED;
    auto time = static_cast<uint64_t>(ns);
    auto followed = static_cast<uint64_t>(followed_ns);
    void* parameters[] = {&word, &number, &time, &followed};
    Result code = launch(api, kernels.keep_alive, stream, parameters);
    for (int i = 0; i < kBehind && code == CUDA_SUCCESS; ++i) code = launch(api, kernels.nothing, stream, nullptr);
    return code;
}

}  // namespace xsched::stream
