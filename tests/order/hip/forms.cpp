// Functions that HIP has in several forms (hipModuleLaunchKernel, hipExtModuleLaunchKernel, ...): calls take each in
// turn.
#include <atomic>
#include <mutex>

#include "order/hip/calls.h"
#include "order/hip/stream_ends.h"

namespace cuda {
namespace {

// Lets the first cooperative launch end before others begin, on AMD's own runtime. 7.2.4 asks HSA for the device's
// cooperative queue once for each thread whose first such launches meet, and gives it back once. The process then
// crashes as it ends: HSA destroys that queue after the memory of the queue's signal.
class FirstCooperative {
public:
    FirstCooperative() {
        if (amds_own() && !g_launched) lock_ = std::unique_lock(g_mutex);
    }
    ~FirstCooperative() {
        if (lock_.owns_lock()) g_launched = true;
    }

private:
    static inline std::mutex g_mutex;
    static inline std::atomic<bool> g_launched{false};
    std::unique_lock<std::mutex> lock_;
};

// The forms of the functions for programs with one default stream per thread (kPerThread) and for others.
template <bool kPerThread>
struct Calls {
    // Returns the stream for a function that has no variant for programs with one default stream per thread.
    static hipStream_t on(CUstream stream) {
        return kPerThread && stream == nullptr ? reinterpret_cast<hipStream_t>(2) : hip_stream(stream);
    }
    // Returns whether a call in this stream takes the form for programs with one default stream per thread. AMD's own
    // legacy stream is the NULL stream (calls.h), which that form takes for the thread's.
    static bool has_spt(CUstream stream) { return kPerThread && (stream == nullptr || hip_stream(stream) != nullptr); }
    // Calls a function in the form for per-thread default streams or in the ordinary form. `stream` only chooses the
    // form; both get it unchanged. For calls without a stream it is nullptr.
    template <typename Plain, typename Spt, typename... Arguments>
    static hipError_t form(CUstream stream, Plain plain, Spt spt, Arguments... arguments) {
        return has_spt(stream) ? spt(arguments...) : plain(arguments...);
    }

    static CUresult launch(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                           unsigned bz, unsigned shared, CUstream stream, void** arguments, void** extra) {
        const bool host = is_host_function(function);
        const bool spt = has_spt(stream) && turn() % 2 == 0;
        const Kernel kernel{function, {gx, gy, gz}, {bx, by, bz}, shared, on(stream), arguments, extra};
        return code_of(host ? launch_host_function(kernel, spt) : launch_module_function(kernel));
    }
    // Runtimes before 6.5 lack it.
    static CUresult launch_ex(const CUlaunchConfig* it, CUfunction function, void** arguments, void** extra) {
        if (h().hipLaunchKernelExC == nullptr || !may_be_configured(on(it->hStream)))
            return launch(function, it->gridDimX, it->gridDimY, it->gridDimZ, it->blockDimX, it->blockDimY,
                          it->blockDimZ, it->sharedMemBytes, it->hStream, arguments, extra);
        const dim3 grid{it->gridDimX, it->gridDimY, it->gridDimZ}, block{it->blockDimX, it->blockDimY, it->blockDimZ};
        if (is_host_function(function)) {
            const hipLaunchConfig_t config{grid, block, it->sharedMemBytes, on(it->hStream), nullptr, 0};
            return code_of(h().hipLaunchKernelExC(&config, function, arguments));
        }
        const HIP_LAUNCH_CONFIG config{grid.x,          grid.y,  grid.z, block.x, block.y, block.z, it->sharedMemBytes,
                                       on(it->hStream), nullptr, 0};
        return code_of(h().hipDrvLaunchKernelEx(&config, reinterpret_cast<hipFunction_t>(function), arguments, extra));
    }
    static CUresult launch_cooperative(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                       unsigned by, unsigned bz, unsigned shared, CUstream stream, void** arguments) {
        const FirstCooperative first;
        const dim3 grid{gx, gy, gz}, block{bx, by, bz};
        hipLaunchParams several{function, grid, block, arguments, shared, on(stream)};
        hipFunctionLaunchParams functions{
            reinterpret_cast<hipFunction_t>(function), gx, gy, gz, bx, by, bz, shared, on(stream), arguments};
        const bool list = turn() % 4 == 0 && may_be_listed(on(stream));
        if (is_host_function(function))
            return code_of(list ? h().hipLaunchCooperativeKernelMultiDevice(&several, 1, 0)
                                : form(stream, h().hipLaunchCooperativeKernel, h().hipLaunchCooperativeKernel_spt,
                                       function, grid, block, arguments, shared, hip_stream(stream)));
        return code_of(list ? h().hipModuleLaunchCooperativeKernelMultiDevice(&functions, 1, 0)
                            : h().hipModuleLaunchCooperativeKernel(functions.function, gx, gy, gz, bx, by, bz, shared,
                                                                   on(stream), arguments));
    }
    static CUresult graph_launch(CUgraphExec graph, CUstream stream) {
        return code_of(form(stream, h().hipGraphLaunch, h().hipGraphLaunch_spt, reinterpret_cast<hipGraphExec_t>(graph),
                            hip_stream(stream)));
    }
    static CUresult host_function(CUstream stream, CUhostFn function, void* data) {
        return code_of(form(stream, h().hipLaunchHostFunc, h().hipLaunchHostFunc_spt, hip_stream(stream),
                            reinterpret_cast<void*>(function), data));
    }
    static CUresult callback(CUstream stream, CUstreamCallback function, void* data, unsigned flags) {
        return code_of(form(stream, h().hipStreamAddCallback, h().hipStreamAddCallback_spt, hip_stream(stream),
                            reinterpret_cast<void*>(function), data, flags));
    }

    static CUresult copy(void* to, const void* from, size_t bytes, int kind) {
        const auto direction = static_cast<hipMemcpyKind>(kind);
        if (!kPerThread && turn() % 3 == 0)
            return code_of(h().hipMemcpyWithStream(to, from, bytes, direction, nullptr));
        return code_of(form(nullptr, h().hipMemcpy, h().hipMemcpy_spt, to, from, bytes, direction));
    }
    static CUresult copy_any(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
        return copy(at(to), at(from), bytes, 4);
    }
    static CUresult to_device(CUdeviceptr to, const void* from, size_t bytes) {
        if (!kPerThread && turn() % 2 == 0) return code_of(h().hipMemcpyHtoD(at(to), from, bytes));
        return copy(at(to), from, bytes, 1);
    }
    static CUresult to_host(void* to, CUdeviceptr from, size_t bytes) {
        if (!kPerThread && turn() % 2 == 0) return code_of(h().hipMemcpyDtoH(to, at(from), bytes));
        return copy(to, at(from), bytes, 2);
    }
    static CUresult on_device(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
        if (!kPerThread && turn() % 2 == 0) return code_of(h().hipMemcpyDtoD(at(to), at(from), bytes));
        return copy(at(to), at(from), bytes, 3);
    }
    static CUresult copy_async(void* to, const void* from, size_t bytes, int kind, CUstream stream) {
        return code_of(form(stream, h().hipMemcpyAsync, h().hipMemcpyAsync_spt, to, from, bytes,
                            static_cast<hipMemcpyKind>(kind), hip_stream(stream)));
    }
    static CUresult copy_any_async(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
        return copy_async(at(to), at(from), bytes, 4, stream);
    }
    static CUresult to_device_async(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
        if (turn() % 2 == 0) return code_of(h().hipMemcpyHtoDAsync(at(to), from, bytes, on(stream)));
        return copy_async(at(to), from, bytes, 1, stream);
    }
    static CUresult to_host_async(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
        if (turn() % 2 == 0) return code_of(h().hipMemcpyDtoHAsync(to, at(from), bytes, on(stream)));
        return copy_async(to, at(from), bytes, 2, stream);
    }
    static CUresult on_device_async(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
        if (turn() % 2 == 0) return code_of(h().hipMemcpyDtoDAsync(at(to), at(from), bytes, on(stream)));
        return copy_async(at(to), at(from), bytes, 3, stream);
    }
    static CUresult peer_async(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                               size_t bytes, CUstream stream) {
        return code_of(h().hipMemcpyPeerAsync(at(to), device_of(to_context), at(from), device_of(from_context), bytes,
                                              on(stream)));
    }
    static CUresult copy_2d_async(const CUDA_MEMCPY2D* it, CUstream stream) {
        if (turn() % 2 == 0) return code_of(h().hipMemcpyParam2DAsync(it, on(stream)));
        return code_of(form(stream, h().hipMemcpy2DAsync, h().hipMemcpy2DAsync_spt,
                            at(it->dstDevice + it->dstY * it->dstPitch + it->dstXInBytes), it->dstPitch,
                            static_cast<const void*>(at(it->srcDevice + it->srcY * it->srcPitch + it->srcXInBytes)),
                            it->srcPitch, it->WidthInBytes, it->Height, static_cast<hipMemcpyKind>(3),
                            hip_stream(stream)));
    }
    static CUresult set_32(CUdeviceptr to, unsigned value, size_t count) {
        if (!kPerThread) return code_of(h().hipMemsetD32(at(to), static_cast<int>(value), count));
        const CUresult code = set_32_async(to, value, count, nullptr);
        return code == CUDA_SUCCESS ? code_of(h().hipStreamSynchronize_spt(nullptr)) : code;
    }
    static CUresult set_8_async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
        if (turn() % 2 == 0) return code_of(h().hipMemsetD8Async(at(to), value, count, on(stream)));
        return code_of(
            form(stream, h().hipMemsetAsync, h().hipMemsetAsync_spt, at(to), int{value}, count, hip_stream(stream)));
    }
    static CUresult set_16_async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
        return code_of(h().hipMemsetD16Async(at(to), value, count, on(stream)));
    }
    static CUresult set_32_async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
        return code_of(h().hipMemsetD32Async(at(to), static_cast<int>(value), count, on(stream)));
    }
    static CUresult set_2d_async(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height,
                                 CUstream stream) {
        if (h().hipMemsetD2D32Async != nullptr && !amds_own())  // runtimes before 7 lack it; it is not emulated
            return code_of(h().hipMemsetD2D32Async(at(to), pitch, value, width, height, on(stream)));
        CUresult code = CUDA_SUCCESS;
        for (size_t row = 0; row < height && code == CUDA_SUCCESS; ++row)
            code = set_32_async(to + row * pitch, value, width, stream);
        return code;
    }
    static CUresult allocate_async(CUdeviceptr* memory, size_t bytes, CUstream stream) {
        return code_of(h().hipMallocAsync(reinterpret_cast<void**>(memory), bytes, on(stream)));
    }
    static CUresult free_async(CUdeviceptr memory, CUstream stream) {
        return code_of(h().hipFreeAsync(at(memory), on(stream)));
    }

    static CUresult wait_value(CUstream stream, CUdeviceptr word, cuuint32_t value, unsigned flags) {
        return code_of(h().hipStreamWaitValue32(on(stream), at(word), value, flags, UINT32_MAX));
    }
    static CUresult write_value(CUstream stream, CUdeviceptr word, cuuint32_t value, unsigned flags) {
        return code_of(h().hipStreamWriteValue32(on(stream), at(word), value, flags));
    }
    static CUresult batch(CUstream stream, unsigned count, CUstreamBatchMemOpParams* operations, unsigned flags) {
        if (!may_be_listed(on(stream))) return one_by_one(stream, count, operations);
        const hipError_t code = h().hipStreamBatchMemOp(on(stream), count, operations, flags);
        return code == hipErrorInvalidValue ? one_by_one(stream, count, operations) : code_of(code);
    }
    static CUresult one_by_one(CUstream stream, unsigned count, const CUstreamBatchMemOpParams* operations) {
        CUresult code = CUDA_SUCCESS;
        for (const auto* it = operations; it != operations + count && code == CUDA_SUCCESS; ++it) {
            const bool waits = it->operation == CU_STREAM_MEM_OP_WAIT_VALUE_32;
            code = waits ? wait_value(stream, it->waitValue.address, it->waitValue.value, it->waitValue.flags)
                         : write_value(stream, it->writeValue.address, it->writeValue.value, it->writeValue.flags);
        }
        return code;
    }
    static CUresult synchronize(CUstream stream) {
        return code_of(form(stream, h().hipStreamSynchronize, h().hipStreamSynchronize_spt, hip_stream(stream)));
    }
    static CUresult query(CUstream stream) {
        return code_of(form(stream, h().hipStreamQuery, h().hipStreamQuery_spt, hip_stream(stream)));
    }
    static CUresult wait_event(CUstream stream, CUevent event, unsigned flags) {
        return code_of(form(stream, h().hipStreamWaitEvent, h().hipStreamWaitEvent_spt, hip_stream(stream),
                            hip_event(event), flags));
    }
    static CUresult record(CUevent event, CUstream stream) {
        const CUresult code =
            code_of(form(stream, h().hipEventRecord, h().hipEventRecord_spt, hip_event(event), hip_stream(stream)));
        hip::recorded(hip_event(event), hip_stream(stream));
        return code;
    }
    static CUresult record_with_flags(CUevent event, CUstream stream, unsigned flags) {
        const CUresult code = code_of(h().hipEventRecordWithFlags(hip_event(event), on(stream), flags));
        hip::recorded(hip_event(event), on(stream));
        return code;
    }
    static CUresult begin_capture(CUstream stream, CUstreamCaptureMode mode) {
        return code_of(form(stream, h().hipStreamBeginCapture, h().hipStreamBeginCapture_spt, hip_stream(stream),
                            static_cast<int>(mode)));
    }
};
template <bool kPerThread>
void fill_from(Api& api) {
    using It = Calls<kPerThread>;
    api.cuLaunchKernel = It::launch;
    api.cuLaunchKernelEx = It::launch_ex;
    api.cuLaunchCooperativeKernel = It::launch_cooperative;
    api.cuGraphLaunch = It::graph_launch;
    api.cuLaunchHostFunc = It::host_function;
    api.cuStreamAddCallback = It::callback;
    api.cuMemcpy = It::copy_any;
    api.cuMemcpyHtoD_v2 = It::to_device;
    api.cuMemcpyDtoH_v2 = It::to_host;
    api.cuMemcpyDtoD_v2 = It::on_device;
    api.cuMemcpyAsync = It::copy_any_async;
    api.cuMemcpyHtoDAsync_v2 = It::to_device_async;
    api.cuMemcpyDtoHAsync_v2 = It::to_host_async;
    api.cuMemcpyDtoDAsync_v2 = It::on_device_async;
    api.cuMemcpyPeerAsync = It::peer_async;
    api.cuMemcpy2DAsync_v2 = It::copy_2d_async;
    api.cuMemsetD32_v2 = It::set_32;
    api.cuMemsetD8Async = It::set_8_async;
    api.cuMemsetD16Async = It::set_16_async;
    api.cuMemsetD32Async = It::set_32_async;
    api.cuMemsetD2D32Async = It::set_2d_async;
    api.cuMemAllocAsync = It::allocate_async;
    api.cuMemFreeAsync = It::free_async;
    api.cuStreamWaitValue32_v2 = It::wait_value;
    api.cuStreamWriteValue32_v2 = It::write_value;
    api.cuStreamBatchMemOp_v2 = It::batch;
    api.cuStreamSynchronize = It::synchronize;
    api.cuStreamQuery = It::query;
    api.cuStreamWaitEvent = It::wait_event;
    api.cuEventRecord = It::record;
    api.cuEventRecordWithFlags = It::record_with_flags;
    api.cuStreamBeginCapture_v2 = It::begin_capture;
}

}  // namespace

void fill_forms(Api& api, bool per_thread) { per_thread ? fill_from<true>(api) : fill_from<false>(api); }

}  // namespace cuda
