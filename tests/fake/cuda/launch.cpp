#include "fake/cuda/launch.h"

#include <cstring>

#include "fake/cuda/capture.h"
#include "fake/cuda/context.h"

namespace fake {
namespace {

using Arguments = std::array<std::byte, 64>;

CUresult take_extra(const Builtin& builtin, void** extra, Arguments& arguments) {
    const void* buffer = nullptr;
    size_t bytes = 0;
    for (size_t i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
        if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = extra[i + 1];
        else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE)
            bytes = *static_cast<const size_t*>(extra[i + 1]);
        else
            return CUDA_ERROR_INVALID_VALUE;
    }
    if (buffer == nullptr || bytes < builtin.bytes) return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(arguments.data(), buffer, builtin.bytes);
    return CUDA_SUCCESS;
}

CUresult take_arguments(const Builtin& builtin, void** parameters, void** extra, Arguments& arguments) {
    if (builtin.bytes == 0) return CUDA_SUCCESS;
    if (parameters == nullptr)
        return extra != nullptr ? take_extra(builtin, extra, arguments) : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < builtin.sizes.size(); ++i)
        std::memcpy(arguments.data() + builtin.offsets[i], parameters[i], builtin.sizes[i]);
    return CUDA_SUCCESS;
}

// Waits for all work of the context, as NVIDIA's driver may do when it loads a kernel lazily at its first launch.
void load(Context& context) {
    const std::lock_guard lock(context.mutex);
    std::vector<Place> ends;
    for (Stream* it : context.streams) ends.push_back(end_of(*it));
    wait_for_all(ends);
}

CUresult launch(CUfunction function, size_t blocks, size_t threads, CUstream handle, void** parameters, void** extra,
                bool cooperative = false) {
    if (blocks == 0 || threads == 0 || threads > 1024) return CUDA_ERROR_INVALID_VALUE;
    const KernelObject* kernel = kernel_of(function);
    if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    Stream* stream = nullptr;
    FAKE_TRY(stream_of(handle, Within::kOwnContext, &stream));
    if (kernel->context != nullptr && kernel->context != stream->context) return CUDA_ERROR_INVALID_HANDLE;
    if (noop()) return CUDA_SUCCESS;
    if (g_settings.lazy_loading && !std::atomic_ref(kernel->loaded).exchange(true)) load(*stream->context);
    Command command;
    command.cooperative = cooperative;
    FAKE_TRY(kernel_action(*kernel, blocks * threads, parameters, extra, &command.action));
    return submit(*stream, std::move(command), InCapture::kNode);
}

}  // namespace

const KernelObject* kernel_of(CUfunction handle) {
    const auto* kernel = reinterpret_cast<const KernelObject*>(handle);
    return kernel != nullptr && kernel->magic == kMagicKernel ? kernel : nullptr;
}

CUresult kernel_action(const KernelObject& kernel, size_t threads, void** parameters, void** extra,
                       std::function<void()>* action) {
    Arguments arguments{};
    FAKE_TRY(take_arguments(*kernel.builtin, parameters, extra, arguments));
    *action = [run = kernel.builtin->run, arguments, threads] {
        if (!break_now(Break::kDrop)) run(arguments.data(), threads);
        note_kernel();
    };
    return CUDA_SUCCESS;
}

}  // namespace fake

using namespace fake;

extern "C" {

CUresult CUDAAPI cuLaunchKernel(CUfunction function, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
                                unsigned int by, unsigned int bz, unsigned int, CUstream stream, void** parameters,
                                void** extra) {
    FAKE_ENTRY();
    return launch(function, threads_of(gx, gy, gz), threads_of(bx, by, bz), stream, parameters, extra);
}
FAKE_PER_THREAD(cuLaunchKernel, _ptsz,
                (CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by,
                 unsigned int bz, unsigned int shared, CUstream stream, void** parameters, void** extra),
                (f, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra))

CUresult CUDAAPI cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra) {
    FAKE_ENTRY();
    if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
    bool cooperative = false;
    for (unsigned i = 0; i < config->numAttrs; ++i)
        if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
            cooperative = config->attrs[i].value.cooperative != 0;
    FAKE_TRY(launch(function, threads_of(config->gridDimX, config->gridDimY, config->gridDimZ),
                    threads_of(config->blockDimX, config->blockDimY, config->blockDimZ), config->hStream, parameters,
                    extra, cooperative));
    for (unsigned i = 0; i < config->numAttrs; ++i)
        if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT)
            FAKE_TRY(cuEventRecord(config->attrs[i].value.launchCompletionEvent.event, config->hStream));
    return CUDA_SUCCESS;
}
FAKE_PER_THREAD(cuLaunchKernelEx, _ptsz, (const CUlaunchConfig* config, CUfunction f, void** parameters, void** extra),
                (config, f, parameters, extra))

CUresult CUDAAPI cuLaunchCooperativeKernel(CUfunction function, unsigned int gx, unsigned int gy, unsigned int gz,
                                           unsigned int bx, unsigned int by, unsigned int bz, unsigned int,
                                           CUstream stream, void** parameters) {
    FAKE_ENTRY();
    return launch(function, threads_of(gx, gy, gz), threads_of(bx, by, bz), stream, parameters, nullptr, true);
}
FAKE_PER_THREAD(cuLaunchCooperativeKernel, _ptsz,
                (CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by,
                 unsigned int bz, unsigned int shared, CUstream stream, void** parameters),
                (f, gx, gy, gz, bx, by, bz, shared, stream, parameters))

CUresult CUDAAPI cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS* launches, unsigned int count, unsigned int) {
    FAKE_ENTRY();
    for (unsigned i = 0; i < count; ++i) {
        const CUDA_LAUNCH_PARAMS& it = launches[i];
        if (it.hStream == nullptr) return CUDA_ERROR_INVALID_VALUE;
        FAKE_TRY(cuCtxPushCurrent_v2(it.hStream->context));
        const CUresult result =
            launch(it.function, threads_of(it.gridDimX, it.gridDimY, it.gridDimZ),
                   threads_of(it.blockDimX, it.blockDimY, it.blockDimZ), it.hStream, it.kernelParams, nullptr);
        cuCtxPopCurrent_v2(nullptr);
        FAKE_TRY(result);
    }
    return CUDA_SUCCESS;
}
}
