// The CUDA driver's functions that the order checker calls, each by HIP's functions for the same: where there are
// several (hipModuleLaunchKernel, hipExtModuleLaunchKernel, ...) by each of them in turn. Results have the same
// numbers. A context is a device; a library's kernels are known by host functions that are registered as the compiler
// does it.
#include "order/cuda/driver.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "order/hip/functions.h"

namespace cuda {
namespace {

using namespace xsched::hip;
const hip::Functions& h() { return hip::functions(); }

CUresult code_of(hipError_t code) { return static_cast<CUresult>(code); }
hipStream_t hip_stream(CUstream stream) { return reinterpret_cast<hipStream_t>(stream); }
hipEvent_t hip_event(CUevent event) { return reinterpret_cast<hipEvent_t>(event); }
void* at(CUdeviceptr address) { return reinterpret_cast<void*>(address); }
thread_local uint32_t t_calls = 0;
uint32_t turn() { return t_calls++; }  // which of several forms a call takes

// --- contexts: the current one of a thread is its device
CUcontext context_of(int device) { return reinterpret_cast<CUcontext>((uintptr_t(device) + 1) << 4); }
int device_of(CUcontext context) { return static_cast<int>(reinterpret_cast<uintptr_t>(context) >> 4) - 1; }
thread_local std::vector<int> t_devices;

CUresult push(CUcontext context) {
    int device = 0;
    h().hipGetDevice(&device);
    t_devices.push_back(device);
    return code_of(h().hipSetDevice(device_of(context)));
}
CUresult pop(CUcontext*) {
    const int device = t_devices.back();
    t_devices.pop_back();
    return code_of(h().hipSetDevice(device));
}
CUresult create_context(CUcontext* context, unsigned, CUdevice device) {
    *context = context_of(device);
    return push(*context);
}
CUresult destroy_context(CUcontext context) {
    CUresult code = push(context);
    if (code == CUDA_SUCCESS) code = code_of(h().hipDeviceReset());
    pop(nullptr);
    return code;
}
CUresult retain(CUcontext* context, CUdevice device) {
    *context = context_of(device);
    hipCtx_t unused = nullptr;
    return code_of(h().hipDevicePrimaryCtxRetain(&unused, device));
}
CUresult attribute(int* value, CUdevice_attribute, CUdevice) {
    *value = std::getenv("FAKE_CUDA_NO_MEMOPS") == nullptr ? 1 : 0;  // it also stands for memory pools
    return CUDA_SUCCESS;
}

// --- kernels: hipFunction_t of a module, or a host function of a library
struct HostLibrary {
    static constexpr size_t kMost = 8;
    void** modules = nullptr;
    char functions[kMost] = {};  // their addresses count
    size_t count = 0;
};
struct FatBinary {
    uint32_t magic, version;
    const void* image;
    void* unused;
};
std::vector<std::unique_ptr<HostLibrary>>& libraries() {
    static auto& it = *new std::vector<std::unique_ptr<HostLibrary>>;
    return it;
}

CUresult load_library(CUlibrary* library, const void* image, CUjit_option*, void**, unsigned, CUlibraryOption*, void**,
                      unsigned) {
    static std::vector<std::unique_ptr<FatBinary>>& binaries = *new std::vector<std::unique_ptr<FatBinary>>;
    binaries.push_back(std::make_unique<FatBinary>(FatBinary{0x48495046, 1, image, nullptr}));
    libraries().push_back(std::make_unique<HostLibrary>());
    HostLibrary& made = *libraries().back();
    made.modules = h().__hipRegisterFatBinary(binaries.back().get());
    *library = reinterpret_cast<CUlibrary>(&made);
    return CUDA_SUCCESS;
}
CUresult library_kernel(CUkernel* kernel, CUlibrary handle, const char* name) {
    auto& library = *reinterpret_cast<HostLibrary*>(handle);
    char* function = &library.functions[library.count++];
    h().__hipRegisterFunction(library.modules, function, const_cast<char*>(name), name, -1u, nullptr, nullptr, nullptr,
                              nullptr, nullptr);
    *kernel = reinterpret_cast<CUkernel>(function);
    return CUDA_SUCCESS;
}
CUresult unload_library(CUlibrary library) {
    h().__hipUnregisterFatBinary(reinterpret_cast<HostLibrary*>(library)->modules);
    return CUDA_SUCCESS;
}
bool is_host_function(CUfunction function) {
    const auto* address = reinterpret_cast<const char*>(function);
    for (const auto& it : libraries())
        if (address >= it->functions && address < it->functions + HostLibrary::kMost) return true;
    return false;
}

struct Kernel {
    CUfunction function;
    dim3 grid, block;
    unsigned shared;
    hipStream_t stream;
    void** arguments;
    void** extra;
};

hipError_t launch_host_function(const Kernel& it, bool per_thread) {
    const void* function = it.function;
    if (it.extra != nullptr) {  // the old way: the arguments are set up one after the other
        const hipError_t code = h().hipConfigureCall(it.grid, it.block, it.shared, it.stream);
        if (code != hipSuccess) return code;
        h().hipSetupArgument(it.extra[1], *static_cast<size_t*>(it.extra[3]), 0);
        return h().hipLaunchByPtr(function);
    }
    hipLaunchParams several{const_cast<void*>(function), it.grid, it.block, it.arguments, it.shared, it.stream};
    switch (turn() % 4) {
        case 0:
            return h().hipExtLaunchKernel(function, it.grid, it.block, it.arguments, it.shared, it.stream, nullptr,
                                          nullptr, 0);
        case 1: return h().hipExtLaunchMultiKernelMultiDevice(&several, 1, 0);
        default:
            if (!per_thread)
                return h().hipLaunchKernel(function, it.grid, it.block, it.arguments, it.shared, it.stream);
            return h().hipLaunchKernel_spt(function, it.grid, it.block, it.arguments, it.shared, it.stream);
    }
}

hipError_t launch_module_function(const Kernel& it) {
    const auto function = reinterpret_cast<hipFunction_t>(it.function);
    void* extra[5] = {};
    if (it.extra != nullptr) std::memcpy(extra, it.extra, 4 * sizeof(void*));
    extra[4] = reinterpret_cast<void*>(3);
    void** given = it.extra != nullptr ? extra : nullptr;
    const dim3 threads{it.grid.x * it.block.x, it.grid.y * it.block.y, it.grid.z * it.block.z};
    switch (turn() % 4) {
        case 0:
            return h().hipExtModuleLaunchKernel(function, threads.x, threads.y, threads.z, it.block.x, it.block.y,
                                                it.block.z, it.shared, it.stream, it.arguments, given, nullptr, nullptr,
                                                0);
        case 1:
            return h().hipHccModuleLaunchKernel(function, threads.x, threads.y, threads.z, it.block.x, it.block.y,
                                                it.block.z, it.shared, it.stream, it.arguments, given, nullptr,
                                                nullptr);
        default:
            return h().hipModuleLaunchKernel(function, it.grid.x, it.grid.y, it.grid.z, it.block.x, it.block.y,
                                             it.block.z, it.shared, it.stream, it.arguments, given);
    }
}

// The forms of the functions for programs with one default stream per thread (kPerThread) and for others.
template <bool kPerThread>
struct Calls {
    // For functions that exist in one form only.
    static hipStream_t on(CUstream stream) {
        return kPerThread && stream == nullptr ? reinterpret_cast<hipStream_t>(2) : hip_stream(stream);
    }
    // A function that has both forms, or one; both take the stream as it is.
    template <typename Plain, typename Spt, typename... Arguments>
    static hipError_t form(Plain plain, Spt spt, Arguments... arguments) {
        return kPerThread ? spt(arguments...) : plain(arguments...);
    }

    static CUresult launch(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                           unsigned bz, unsigned shared, CUstream stream, void** arguments, void** extra) {
        const bool host = is_host_function(function);
        const bool spt = kPerThread && turn() % 2 == 0;
        const Kernel kernel{function, {gx, gy, gz}, {bx, by, bz}, shared, on(stream), arguments, extra};
        return code_of(host ? launch_host_function(kernel, spt) : launch_module_function(kernel));
    }
    static CUresult launch_ex(const CUlaunchConfig* it, CUfunction function, void** arguments, void** extra) {
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
        const dim3 grid{gx, gy, gz}, block{bx, by, bz};
        hipLaunchParams several{function, grid, block, arguments, shared, on(stream)};
        hipFunctionLaunchParams functions{
            reinterpret_cast<hipFunction_t>(function), gx, gy, gz, bx, by, bz, shared, on(stream), arguments};
        const bool list = turn() % 4 == 0;
        if (is_host_function(function))
            return code_of(list ? h().hipLaunchCooperativeKernelMultiDevice(&several, 1, 0)
                                : form(h().hipLaunchCooperativeKernel, h().hipLaunchCooperativeKernel_spt, function,
                                       grid, block, arguments, shared, hip_stream(stream)));
        return code_of(list ? h().hipModuleLaunchCooperativeKernelMultiDevice(&functions, 1, 0)
                            : h().hipModuleLaunchCooperativeKernel(functions.function, gx, gy, gz, bx, by, bz, shared,
                                                                   on(stream), arguments));
    }
    static CUresult graph_launch(CUgraphExec graph, CUstream stream) {
        return code_of(form(h().hipGraphLaunch, h().hipGraphLaunch_spt, reinterpret_cast<hipGraphExec_t>(graph),
                            hip_stream(stream)));
    }
    static CUresult host_function(CUstream stream, CUhostFn function, void* data) {
        return code_of(form(h().hipLaunchHostFunc, h().hipLaunchHostFunc_spt, hip_stream(stream),
                            reinterpret_cast<void*>(function), data));
    }
    static CUresult callback(CUstream stream, CUstreamCallback function, void* data, unsigned flags) {
        return code_of(form(h().hipStreamAddCallback, h().hipStreamAddCallback_spt, hip_stream(stream),
                            reinterpret_cast<void*>(function), data, flags));
    }

    static CUresult copy(void* to, const void* from, size_t bytes, int kind) {
        const auto direction = static_cast<hipMemcpyKind>(kind);
        if (!kPerThread && turn() % 3 == 0)
            return code_of(h().hipMemcpyWithStream(to, from, bytes, direction, nullptr));
        return code_of(form(h().hipMemcpy, h().hipMemcpy_spt, to, from, bytes, direction));
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
        return code_of(form(h().hipMemcpyAsync, h().hipMemcpyAsync_spt, to, from, bytes,
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
        return code_of(form(h().hipMemcpy2DAsync, h().hipMemcpy2DAsync_spt,
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
        return code_of(form(h().hipMemsetAsync, h().hipMemsetAsync_spt, at(to), int{value}, count, hip_stream(stream)));
    }
    static CUresult set_16_async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
        return code_of(h().hipMemsetD16Async(at(to), value, count, on(stream)));
    }
    static CUresult set_32_async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
        return code_of(h().hipMemsetD32Async(at(to), static_cast<int>(value), count, on(stream)));
    }
    static CUresult set_2d_async(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height,
                                 CUstream stream) {
        return code_of(h().hipMemsetD2D32Async(at(to), pitch, value, width, height, on(stream)));
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
        return code_of(h().hipStreamBatchMemOp(on(stream), count, operations, flags));
    }
    static CUresult synchronize(CUstream stream) {
        return code_of(form(h().hipStreamSynchronize, h().hipStreamSynchronize_spt, hip_stream(stream)));
    }
    static CUresult query(CUstream stream) {
        return code_of(form(h().hipStreamQuery, h().hipStreamQuery_spt, hip_stream(stream)));
    }
    static CUresult wait_event(CUstream stream, CUevent event, unsigned flags) {
        return code_of(
            form(h().hipStreamWaitEvent, h().hipStreamWaitEvent_spt, hip_stream(stream), hip_event(event), flags));
    }
    static CUresult record(CUevent event, CUstream stream) {
        return code_of(form(h().hipEventRecord, h().hipEventRecord_spt, hip_event(event), hip_stream(stream)));
    }
    static CUresult record_with_flags(CUevent event, CUstream stream, unsigned flags) {
        return code_of(h().hipEventRecordWithFlags(hip_event(event), on(stream), flags));
    }
    static CUresult begin_capture(CUstream stream, CUstreamCaptureMode mode) {
        return code_of(
            form(h().hipStreamBeginCapture, h().hipStreamBeginCapture_spt, hip_stream(stream), static_cast<int>(mode)));
    }
};

// --- what has one form only
CUresult create_stream(CUstream* stream, unsigned flags, int priority) {
    return code_of(h().hipStreamCreateWithPriority(reinterpret_cast<hipStream_t*>(stream), flags, priority));
}
CUresult is_capturing(CUstream stream, CUstreamCaptureStatus* status) {
    int found = 0;
    const hipError_t code = h().hipStreamIsCapturing(hip_stream(stream), &found);
    *status = static_cast<CUstreamCaptureStatus>(found);
    return code_of(code);
}
CUresult instantiate(CUgraphExec* executable, CUgraph graph, unsigned long long) {
    return code_of(h().hipGraphInstantiate(reinterpret_cast<hipGraphExec_t*>(executable),
                                           reinterpret_cast<hipGraph_t>(graph), nullptr, nullptr, 0));
}
CUresult update(CUgraphExec executable, CUgraph graph, CUgraphExecUpdateResultInfo*) {
    hipGraphNode_t node = nullptr;
    int result = 0;
    return code_of(h().hipGraphExecUpdate(reinterpret_cast<hipGraphExec_t>(executable),
                                          reinterpret_cast<hipGraph_t>(graph), &node, &result));
}

template <bool kPerThread>
void fill_forms(Api& api) {
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

void fill_others(Api& api) {
    api.cuInit = [](unsigned flags) { return code_of(h().hipInit(flags)); };
    api.cuDeviceGetCount = [](int* count) { return code_of(h().hipGetDeviceCount(count)); };
    api.cuDeviceGetName = [](char* name, int bytes, CUdevice device) {
        return code_of(h().hipDeviceGetName(name, bytes, device));
    };
    api.cuDeviceGetAttribute = attribute;
    api.cuDevicePrimaryCtxRetain = retain;
    // HIP keeps the device's NULL stream when its context is released.
    api.cuDevicePrimaryCtxRelease_v2 = [](CUdevice device) { return destroy_context(context_of(device)); };
    api.cuCtxCreate_v2 = create_context;
    api.cuCtxDestroy_v2 = destroy_context;
    api.cuCtxPushCurrent_v2 = push;
    api.cuCtxPopCurrent_v2 = pop;
    api.cuCtxSynchronize = [] {
        return code_of(turn() % 2 == 0 ? h().hipDeviceSynchronize() : h().hipCtxSynchronize());
    };
    api.cuModuleLoadData = [](CUmodule* module, const void* image) {
        return code_of(h().hipModuleLoadData(reinterpret_cast<hipModule_t*>(module), image));
    };
    api.cuModuleUnload = [](CUmodule module) {
        return code_of(h().hipModuleUnload(reinterpret_cast<hipModule_t>(module)));
    };
    api.cuModuleGetFunction = [](CUfunction* function, CUmodule module, const char* name) {
        return code_of(h().hipModuleGetFunction(reinterpret_cast<hipFunction_t*>(function),
                                                reinterpret_cast<hipModule_t>(module), name));
    };
    api.cuLibraryLoadData = load_library;
    api.cuLibraryGetKernel = library_kernel;
    api.cuLibraryUnload = unload_library;
    api.cuMemAlloc_v2 = [](CUdeviceptr* memory, size_t bytes) {
        return code_of(h().hipMalloc(reinterpret_cast<void**>(memory), bytes));
    };
    api.cuMemFree_v2 = [](CUdeviceptr memory) { return code_of(h().hipFree(at(memory))); };
    api.cuMemHostAlloc = [](void** memory, size_t bytes, unsigned flags) {
        return code_of(h().hipHostMalloc(memory, bytes, flags));
    };
    api.cuMemFreeHost = [](void* memory) { return code_of(h().hipHostFree(memory)); };
    api.cuMemHostGetDevicePointer_v2 = [](CUdeviceptr* pointer, void* memory, unsigned flags) {
        return code_of(h().hipHostGetDevicePointer(reinterpret_cast<void**>(pointer), memory, flags));
    };
    api.cuStreamCreateWithPriority = create_stream;
    api.cuStreamDestroy_v2 = [](CUstream stream) { return code_of(h().hipStreamDestroy(hip_stream(stream))); };
    api.cuStreamIsCapturing = is_capturing;
    api.cuStreamEndCapture = [](CUstream stream, CUgraph* graph) {
        return code_of(h().hipStreamEndCapture(hip_stream(stream), reinterpret_cast<hipGraph_t*>(graph)));
    };
    api.cuGraphInstantiateWithFlags = instantiate;
    api.cuGraphExecUpdate_v2 = update;
    api.cuGraphDestroy = [](CUgraph graph) {
        return code_of(h().hipGraphDestroy(reinterpret_cast<hipGraph_t>(graph)));
    };
    api.cuGraphExecDestroy = [](CUgraphExec graph) {
        return code_of(h().hipGraphExecDestroy(reinterpret_cast<hipGraphExec_t>(graph)));
    };
    api.cuGraphGetNodes = [](CUgraph graph, CUgraphNode* nodes, size_t* count) {
        return code_of(
            h().hipGraphGetNodes(reinterpret_cast<hipGraph_t>(graph), reinterpret_cast<hipGraphNode_t*>(nodes), count));
    };
    api.cuEventCreate = [](CUevent* event, unsigned flags) {
        return code_of(h().hipEventCreateWithFlags(reinterpret_cast<hipEvent_t*>(event), flags));
    };
    api.cuEventDestroy_v2 = [](CUevent event) { return code_of(h().hipEventDestroy(hip_event(event))); };
    api.cuEventQuery = [](CUevent event) { return code_of(h().hipEventQuery(hip_event(event))); };
    api.cuEventSynchronize = [](CUevent event) { return code_of(h().hipEventSynchronize(hip_event(event))); };
    api.cuEventElapsedTime = [](float* milliseconds, CUevent start, CUevent end) {
        return code_of(h().hipEventElapsedTime(milliseconds, hip_event(start), hip_event(end)));
    };
}

template <bool kPerThread>
Api make_api() {
    Api api;
    fill_others(api);
    fill_forms<kPerThread>(api);
    return api;
}

}  // namespace

void* library() { return hip::library(); }

const Api& api() {
    static const Api it = make_api<false>();
    return it;
}
const Api& per_thread_api() {
    static const Api it = make_api<true>();
    return it;
}

bool available() {
    if (library() == nullptr) {
        std::fprintf(stderr, "no HIP runtime: %s\n", dlerror());
        return false;
    }
    int count = 0;
    const hipError_t code = h().hipGetDeviceCount != nullptr ? h().hipGetDeviceCount(&count) : hipErrorNoDevice;
    if (code == hipSuccess && count > 0) return true;
    std::fprintf(stderr, "no HIP device: hipGetDeviceCount returned %d\n", code);
    return false;
}

void* fake_control(const char* name) { return dlsym(library(), name); }

long fake_count(const char* name) {
    const auto control = reinterpret_cast<long (*)()>(fake_control(name));
    return control != nullptr ? control() : 0;
}

}  // namespace cuda
