// The CUDA driver's functions that the order checker calls, each by HIP's functions for the same: where there are
// several (forms.cpp) by each of them in turn. Results have the same numbers. A context is a device.
#include "order/cuda/driver.h"

#include <dlfcn.h>

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "order/hip/calls.h"
#include "order/hip/stream_ends.h"

namespace cuda {
namespace {

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

// HIP's descriptions and parameters have CUDA's layout.
void fill_semaphores(Api& api) {
    if (h().hipImportExternalSemaphore == nullptr) return;
    api.cuImportExternalSemaphore = [](CUexternalSemaphore* semaphore, const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC* it) {
        return code_of(h().hipImportExternalSemaphore(reinterpret_cast<void**>(semaphore), it));
    };
    api.cuDestroyExternalSemaphore = [](CUexternalSemaphore semaphore) {
        return code_of(h().hipDestroyExternalSemaphore(semaphore));
    };
    api.cuSignalExternalSemaphoresAsync = [](const CUexternalSemaphore* semaphores,
                                             const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS* parameters, unsigned count,
                                             CUstream stream) {
        return code_of(h().hipSignalExternalSemaphoresAsync(reinterpret_cast<void* const*>(semaphores), parameters,
                                                            count, hip_stream(stream)));
    };
    api.cuWaitExternalSemaphoresAsync = [](const CUexternalSemaphore* semaphores,
                                           const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS* parameters, unsigned count,
                                           CUstream stream) {
        return code_of(h().hipWaitExternalSemaphoresAsync(reinterpret_cast<void* const*>(semaphores), parameters, count,
                                                          hip_stream(stream)));
    };
}

void fill_others(Api& api) {
    api.cuInit = [](unsigned flags) { return code_of(h().hipInit(flags)); };
    api.cuDeviceGetCount = [](int* count) { return code_of(h().hipGetDeviceCount(count)); };
    api.cuDeviceGetName = [](char* name, int bytes, CUdevice device) {
        return code_of(h().hipDeviceGetName(name, bytes, device));
    };
    api.cuDeviceGetAttribute = attribute;
    api.cuDevicePrimaryCtxRetain = retain;
    // Releases a primary context by a reset of the device: HIP's own release would keep the device's NULL stream.
    api.cuDevicePrimaryCtxRelease_v2 = [](CUdevice device) { return destroy_context(context_of(device)); };
    api.cuCtxCreate_v2 = create_context;
    api.cuCtxDestroy_v2 = destroy_context;
    api.cuCtxPushCurrent_v2 = push;
    api.cuCtxPopCurrent_v2 = pop;
    api.cuCtxSynchronize = [] {
        const hipError_t code = turn() % 2 == 0 ? hipErrorNotSupported : h().hipCtxSynchronize();
        return code_of(code == hipErrorNotSupported ? h().hipDeviceSynchronize() : code);  // as AMD's says of it
    };
    api.cuModuleLoadData = [](CUmodule* module, const void* image) {
        return code_of(h().hipModuleLoadData(reinterpret_cast<hipModule_t*>(module), hip::code_for(image)));
    };
    api.cuModuleUnload = [](CUmodule module) {
        return code_of(h().hipModuleUnload(reinterpret_cast<hipModule_t>(module)));
    };
    api.cuModuleGetFunction = [](CUfunction* function, CUmodule module, const char* name) {
        return code_of(h().hipModuleGetFunction(reinterpret_cast<hipFunction_t*>(function),
                                                reinterpret_cast<hipModule_t>(module), name));
    };
    fill_libraries(api);
    fill_semaphores(api);
    fill_memory(api);
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
    api.cuStreamDestroy_v2 = [](CUstream stream) { return code_of(hip::end_stream(hip_stream(stream))); };
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
    api.cuIpcGetEventHandle = [](CUipcEventHandle* name, CUevent event) {
        return code_of(h().hipIpcGetEventHandle(reinterpret_cast<hipIpcEventHandle_t*>(name), hip_event(event)));
    };
    api.cuIpcOpenEventHandle = [](CUevent* event, CUipcEventHandle name) {
        return code_of(
            h().hipIpcOpenEventHandle(reinterpret_cast<hipEvent_t*>(event), std::bit_cast<hipIpcEventHandle_t>(name)));
    };
    api.cuEventDestroy_v2 = [](CUevent event) { return code_of(hip::destroy_event(hip_event(event))); };
    api.cuEventQuery = [](CUevent event) { return code_of(h().hipEventQuery(hip_event(event))); };
    api.cuEventSynchronize = [](CUevent event) { return code_of(h().hipEventSynchronize(hip_event(event))); };
    api.cuEventElapsedTime = [](float* milliseconds, CUevent start, CUevent end) {
        return code_of(h().hipEventElapsedTime(milliseconds, hip_event(start), hip_event(end)));
    };
}

Api make_api(bool per_thread) {
    Api api;
    fill_others(api);
    fill_forms(api, per_thread);
    return api;
}

}  // namespace

void* library() { return hip::library(); }

const Api& api() {
    static const Api it = make_api(false);
    return it;
}
const Api& per_thread_api() {
    static const Api it = make_api(true);
    return it;
}

bool available() {
    if (!is_opened(library(), "HIP runtime")) return false;
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
