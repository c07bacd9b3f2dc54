// Kernels in all forms of launch, and graphs.
#include <dlfcn.h>

#include <atomic>
#include <vector>

#include "fake/hip/runtime.h"

namespace hip_layer {
namespace {

CUfunction cu_function(hipFunction_t function) { return reinterpret_cast<CUfunction>(function); }

// A launch's list of extra arguments, converted from HIP's form, which ends with 3, to CUDA's, which ends with 0.
struct Extra {
    explicit Extra(void** extra) : given(extra != nullptr) {
        for (size_t i = 0; extra != nullptr && i < 4 && reinterpret_cast<uintptr_t>(extra[i]) != 3; i += 2) {
            list[i] = extra[i];
            list[i + 1] = extra[i + 1];
        }
    }
    void** get() { return given ? list : nullptr; }
    bool given;
    void* list[5] = {};
};

hipError_t launch(CUfunction function, dim3 grid, dim3 block, size_t shared, hipStream_t stream, void** arguments,
                  void** extra) {
    Extra translated(extra);
    HIP_TRY(use_stream(stream));
    return code_of(cu().cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                       static_cast<unsigned>(shared), cu_stream(stream), arguments, translated.get()));
}

hipError_t launch_cooperative(CUfunction function, dim3 grid, dim3 block, size_t shared, hipStream_t stream,
                              void** arguments) {
    HIP_TRY(use_stream(stream));
    return code_of(cu().cuLaunchCooperativeKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                                  static_cast<unsigned>(shared), cu_stream(stream), arguments));
}

bool is_cooperative(const void* attributes, unsigned count) {
    const auto* list = static_cast<const CUlaunchAttribute*>(attributes);
    for (unsigned i = 0; list != nullptr && i < count; ++i)
        if (list[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) return list[i].value.cooperative != 0;
    return false;
}

hipError_t find(const void* function, hipStream_t stream, CUfunction* kernel) {
    HIP_TRY(use_stream(stream));
    *kernel = kernel_of(function);
    return *kernel != nullptr ? hipSuccess : hipErrorInvalidValue;
}

// Returns the exported function of that name which the dynamic linker finds first, in any library: so a runtime that
// calls its own exported functions gets the shim's.
template <typename Function>
Function* exported(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}
bool calls_exports() {
    static const bool it = setting("FAKE_HIP_CALLS_EXPORTS");
    return it;
}

hipError_t launch_host(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                       hipStream_t stream) {
    CUfunction kernel = nullptr;
    HIP_TRY(find(function, stream, &kernel));
    if (!calls_exports()) return launch(kernel, grid, block, shared, stream, arguments, nullptr);
    using Function = hipError_t(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                hipStream_t, void**, void**);
    return exported<Function>("hipModuleLaunchKernel")(reinterpret_cast<hipFunction_t>(kernel), grid.x, grid.y, grid.z,
                                                       block.x, block.y, block.z, static_cast<unsigned>(shared), stream,
                                                       arguments, nullptr);
}

hipError_t between_events(hipEvent_t start, hipEvent_t stop, hipStream_t stream,
                          const std::function<hipError_t()>& launch_it) {
    HIP_TRY(use_stream(stream));
    if (start != nullptr) HIP_TRY(code_of(cu().cuEventRecord(cu_event(start), cu_stream(stream))));
    HIP_TRY(launch_it());
    return stop != nullptr ? code_of(cu().cuEventRecord(cu_event(stop), cu_stream(stream))) : hipSuccess;
}

// Launches a kernel whose grid is given in threads instead of blocks, as for hipExtModuleLaunchKernel.
hipError_t launch_threads(hipFunction_t function, dim3 threads, dim3 block, size_t shared, hipStream_t stream,
                          void** arguments, void** extra, hipEvent_t start, hipEvent_t stop) {
    if (block.x == 0 || block.y == 0 || block.z == 0) return hipErrorInvalidValue;
    const dim3 grid{threads.x / block.x, threads.y / block.y, threads.z / block.z};
    return between_events(start, stop, stream,
                          [&] { return launch(cu_function(function), grid, block, shared, stream, arguments, extra); });
}

// The launch that hipConfigureCall and hipSetupArgument keep for hipLaunchByPtr.
struct Configured {
    dim3 grid, block;
    size_t shared;
    hipStream_t stream;
    std::vector<std::byte> arguments;
};
thread_local std::vector<Configured> t_configured;

hipError_t launch_graph(hipGraphExec_t graph, hipStream_t stream) {
    HIP_TRY(use_stream(stream));
    return code_of(cu().cuGraphLaunch(reinterpret_cast<CUgraphExec>(graph), cu_stream(stream)));
}

}  // namespace
}  // namespace hip_layer

HIP_FUNCTION(hipModuleLaunchKernel,
             (hipFunction_t function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
              unsigned shared, hipStream_t stream, void** arguments, void** extra),
             (function, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra)) {
    return launch(cu_function(function), {gx, gy, gz}, {bx, by, bz}, shared, stream, arguments, extra);
}
HIP_FUNCTION(hipExtModuleLaunchKernel,
             (hipFunction_t function, uint32_t tx, uint32_t ty, uint32_t tz, uint32_t bx, uint32_t by, uint32_t bz,
              size_t shared, hipStream_t stream, void** arguments, void** extra, hipEvent_t start, hipEvent_t stop,
              uint32_t flags),
             (function, tx, ty, tz, bx, by, bz, shared, stream, arguments, extra, start, stop, flags)) {
    return flags <= 1
               ? launch_threads(function, {tx, ty, tz}, {bx, by, bz}, shared, stream, arguments, extra, start, stop)
               : hipErrorInvalidValue;
}
HIP_FUNCTION(hipHccModuleLaunchKernel,
             (hipFunction_t function, uint32_t tx, uint32_t ty, uint32_t tz, uint32_t bx, uint32_t by, uint32_t bz,
              size_t shared, hipStream_t stream, void** arguments, void** extra, hipEvent_t start, hipEvent_t stop),
             (function, tx, ty, tz, bx, by, bz, shared, stream, arguments, extra, start, stop)) {
    return launch_threads(function, {tx, ty, tz}, {bx, by, bz}, shared, stream, arguments, extra, start, stop);
}
HIP_FUNCTION(hipLaunchKernel,
             (const void* function, dim3 grid, dim3 block, void** arguments, size_t shared, hipStream_t stream),
             (function, grid, block, arguments, shared, stream)) {
    return launch_host(function, grid, block, arguments, shared, stream);
}
HIP_FUNCTION(hipLaunchKernel_spt,
             (const void* function, dim3 grid, dim3 block, void** arguments, size_t shared, hipStream_t stream),
             (function, grid, block, arguments, shared, stream)) {
    return launch_host(function, grid, block, arguments, shared, per_thread(stream));
}
HIP_FUNCTION(hipExtLaunchKernel,
             (const void* function, dim3 grid, dim3 block, void** arguments, size_t shared, hipStream_t stream,
              hipEvent_t start, hipEvent_t stop, int flags),
             (function, grid, block, arguments, shared, stream, start, stop, flags)) {
    if (flags < 0) return hipErrorInvalidValue;
    return between_events(start, stop, stream,
                          [&] { return launch_host(function, grid, block, arguments, shared, stream); });
}
HIP_FUNCTION(hipLaunchKernelExC, (const hipLaunchConfig_t* config, const void* function, void** arguments),
             (config, function, arguments)) {
    if (config == nullptr) return hipErrorInvalidValue;
    if (is_cooperative(config->attrs, config->numAttrs)) {
        CUfunction kernel = nullptr;
        HIP_TRY(find(function, config->stream, &kernel));
        return launch_cooperative(kernel, config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream,
                                  arguments);
    }
    return launch_host(function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                       config->stream);
}
HIP_FUNCTION(hipDrvLaunchKernelEx,
             (const HIP_LAUNCH_CONFIG* config, hipFunction_t function, void** arguments, void** extra),
             (config, function, arguments, extra)) {
    if (config == nullptr) return hipErrorInvalidValue;
    if (is_cooperative(config->attrs, config->numAttrs))
        return launch_cooperative(cu_function(function), {config->gridDimX, config->gridDimY, config->gridDimZ},
                                  {config->blockDimX, config->blockDimY, config->blockDimZ}, config->sharedMemBytes,
                                  config->hStream, arguments);
    return launch(cu_function(function), {config->gridDimX, config->gridDimY, config->gridDimZ},
                  {config->blockDimX, config->blockDimY, config->blockDimZ}, config->sharedMemBytes, config->hStream,
                  arguments, extra);
}
HIP_FUNCTION(hipLaunchCooperativeKernel,
             (const void* function, dim3 grid, dim3 block, void** arguments, unsigned shared, hipStream_t stream),
             (function, grid, block, arguments, shared, stream)) {
    CUfunction kernel = nullptr;
    HIP_TRY(find(function, stream, &kernel));
    return launch_cooperative(kernel, grid, block, shared, stream, arguments);
}
HIP_FUNCTION(hipLaunchCooperativeKernel_spt,
             (const void* function, dim3 grid, dim3 block, void** arguments, unsigned shared, hipStream_t stream),
             (function, grid, block, arguments, shared, stream)) {
    CUfunction kernel = nullptr;
    HIP_TRY(find(function, per_thread(stream), &kernel));
    return launch_cooperative(kernel, grid, block, shared, per_thread(stream), arguments);
}
HIP_FUNCTION(hipModuleLaunchCooperativeKernel,
             (hipFunction_t function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
              unsigned shared, hipStream_t stream, void** arguments),
             (function, gx, gy, gz, bx, by, bz, shared, stream, arguments)) {
    return launch_cooperative(cu_function(function), {gx, gy, gz}, {bx, by, bz}, shared, stream, arguments);
}
HIP_FUNCTION(hipExtLaunchMultiKernelMultiDevice, (hipLaunchParams * list, int count, unsigned flags),
             (list, count, flags)) {
    for (int i = 0; i < count; ++i)
        HIP_TRY(launch_host(list[i].func, list[i].gridDim, list[i].blockDim, list[i].args, list[i].sharedMem,
                            list[i].stream));
    return flags <= 3 ? hipSuccess : hipErrorInvalidValue;
}
HIP_FUNCTION(hipLaunchCooperativeKernelMultiDevice, (hipLaunchParams * list, int count, unsigned flags),
             (list, count, flags)) {
    for (int i = 0; i < count; ++i) {
        CUfunction kernel = nullptr;
        HIP_TRY(find(list[i].func, list[i].stream, &kernel));
        HIP_TRY(launch_cooperative(kernel, list[i].gridDim, list[i].blockDim, list[i].sharedMem, list[i].stream,
                                   list[i].args));
    }
    return flags <= 3 ? hipSuccess : hipErrorInvalidValue;
}
HIP_FUNCTION(hipModuleLaunchCooperativeKernelMultiDevice,
             (hipFunctionLaunchParams * list, unsigned count, unsigned flags), (list, count, flags)) {
    for (unsigned i = 0; i < count; ++i)
        HIP_TRY(launch_cooperative(cu_function(list[i].function),
                                   {list[i].gridDimX, list[i].gridDimY, list[i].gridDimZ},
                                   {list[i].blockDimX, list[i].blockDimY, list[i].blockDimZ}, list[i].sharedMemBytes,
                                   list[i].hStream, list[i].kernelParams));
    return flags <= 3 ? hipSuccess : hipErrorInvalidValue;
}
HIP_FUNCTION(hipConfigureCall, (dim3 grid, dim3 block, size_t shared, hipStream_t stream),
             (grid, block, shared, stream)) {
    t_configured.push_back({grid, block, shared, stream, {}});
    return hipSuccess;
}
HIP_FUNCTION(hipSetupArgument, (const void* argument, size_t bytes, size_t offset), (argument, bytes, offset)) {
    if (t_configured.empty()) return hipErrorInvalidValue;
    auto& arguments = t_configured.back().arguments;
    if (arguments.size() < offset + bytes) arguments.resize(offset + bytes);
    std::memcpy(arguments.data() + offset, argument, bytes);
    return hipSuccess;
}
HIP_FUNCTION(hipLaunchByPtr, (const void* function), (function)) {
    if (t_configured.empty()) return hipErrorInvalidValue;
    Configured call = std::move(t_configured.back());
    t_configured.pop_back();
    CUfunction kernel = nullptr;
    HIP_TRY(find(function, call.stream, &kernel));
    size_t bytes = call.arguments.size();
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, call.arguments.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     reinterpret_cast<void*>(3)};
    return launch(kernel, call.grid, call.block, call.shared, call.stream, nullptr, bytes > 0 ? extra : nullptr);
}

HIP_FUNCTION(hipGraphLaunch, (hipGraphExec_t graph, hipStream_t stream), (graph, stream)) {
    return launch_graph(graph, stream);
}
HIP_FUNCTION(hipGraphLaunch_spt, (hipGraphExec_t graph, hipStream_t stream), (graph, stream)) {
    return launch_graph(graph, per_thread(stream));
}
HIP_FUNCTION(hipGraphUpload, (hipGraphExec_t graph, hipStream_t stream), (graph, stream)) {
    HIP_TRY(use_stream(stream));
    return code_of(cu().cuGraphUpload(reinterpret_cast<CUgraphExec>(graph), cu_stream(stream)));
}
HIP_FUNCTION(hipGraphInstantiate,
             (hipGraphExec_t * executable, hipGraph_t graph, hipGraphNode_t* node, char* text, size_t bytes),
             (executable, graph, node, text, bytes)) {
    if (node != nullptr) *node = nullptr;
    if (text != nullptr && bytes > 0) *text = '\0';
    return code_of(cu().cuGraphInstantiateWithFlags(reinterpret_cast<CUgraphExec*>(executable),
                                                    reinterpret_cast<CUgraph>(graph), 0));
}
HIP_FUNCTION(hipGraphExecUpdate, (hipGraphExec_t executable, hipGraph_t graph, hipGraphNode_t* node, int* result),
             (executable, graph, node, result)) {
    CUgraphExecUpdateResultInfo info{};
    const hipError_t code = code_of(
        cu().cuGraphExecUpdate_v2(reinterpret_cast<CUgraphExec>(executable), reinterpret_cast<CUgraph>(graph), &info));
    if (node != nullptr) *node = nullptr;
    if (result != nullptr) *result = info.result;
    return code;
}
HIP_FUNCTION(hipGraphDestroy, (hipGraph_t graph), (graph)) {
    return code_of(cu().cuGraphDestroy(reinterpret_cast<CUgraph>(graph)));
}
HIP_FUNCTION(hipGraphExecDestroy, (hipGraphExec_t executable), (executable)) {
    return code_of(cu().cuGraphExecDestroy(reinterpret_cast<CUgraphExec>(executable)));
}
HIP_FUNCTION(hipGraphGetNodes, (hipGraph_t graph, hipGraphNode_t* nodes, size_t* count), (graph, nodes, count)) {
    return code_of(
        cu().cuGraphGetNodes(reinterpret_cast<CUgraph>(graph), reinterpret_cast<CUgraphNode*>(nodes), count));
}
