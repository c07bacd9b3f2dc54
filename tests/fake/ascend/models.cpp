// Models, whose streams record kernels, and captures.
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "fake/ascend/layer.h"
#include "fake/cuda/settings.h"

using namespace acl_layer;

namespace {

std::mutex g_mutex;
// The kernels of each stream that records.
auto& g_recorded = *new std::unordered_map<aclrtStream, std::vector<Kernel>>;

struct Model {
    std::vector<aclrtStream> streams;
};
Model* model_of(aclmdlRI model) { return reinterpret_cast<Model*>(model); }

Kernel kernel_of(CUfunction function, uint32_t threads, const void* arguments, size_t bytes) {
    Kernel kernel{function, threads, {}, bytes};
    if (bytes <= sizeof kernel.arguments) std::memcpy(kernel.arguments, arguments, bytes);
    return kernel;
}

aclError run_model(uint32_t number, void* output, CUstream stream) {
    struct {
        void* words;
        uint32_t value, count;
    } arguments{output, number, 16};
    return launch(kernel_of(function_named("append"), 16, &arguments, sizeof arguments), stream);
}

}  // namespace

namespace acl_layer {

bool is_of_model(aclrtStream stream) {
    const std::lock_guard lock(g_mutex);
    return g_recorded.contains(stream);
}
void note_model_stream(aclrtStream stream) {
    const std::lock_guard lock(g_mutex);
    g_recorded[stream];
}
void forget_model_stream(aclrtStream stream) {
    const std::lock_guard lock(g_mutex);
    g_recorded.erase(stream);
}
bool may_get(aclrtStream stream, const char* what) {
    if (!is_of_model(stream)) return true;
    fake::report_misuse("%s in the stream of a model", what);
    return false;
}

aclError launch_or_record(aclrtFuncHandle function, uint32_t threads, const void* arguments, size_t bytes,
                          aclrtStream stream) {
    if (bytes > sizeof Kernel::arguments) return kInvalid;
    const Kernel kernel = kernel_of(reinterpret_cast<CUfunction>(function), threads, arguments, bytes);
    {
        const std::lock_guard lock(g_mutex);
        if (const auto it = g_recorded.find(stream); it != g_recorded.end()) {
            it->second.push_back(kernel);
            return ACL_SUCCESS;
        }
    }
    return launch(kernel, cu_stream(stream));
}

}  // namespace acl_layer

aclError rtModelCreate(aclmdlRI* model, uint32_t) {
    *model = reinterpret_cast<aclmdlRI>(new Model);
    return ACL_SUCCESS;
}
aclError rtModelDestroy(aclmdlRI model) {
    delete model_of(model);
    return ACL_SUCCESS;
}
aclError rtModelBindStream(aclmdlRI model, aclrtStream stream, uint32_t) {
    note_model_stream(stream);
    model_of(model)->streams.push_back(stream);
    return ACL_SUCCESS;
}
aclError rtModelUnbindStream(aclmdlRI model, aclrtStream stream) {
    std::erase(model_of(model)->streams, stream);
    forget_model_stream(stream);
    return ACL_SUCCESS;
}
aclError rtModelExecute(aclmdlRI model, aclrtStream stream, uint32_t) {
    std::vector<Kernel> all;
    {
        const std::lock_guard lock(g_mutex);
        for (const aclrtStream each : model_of(model)->streams)
            all.insert(all.end(), g_recorded[each].begin(), g_recorded[each].end());
    }
    for (const Kernel& kernel : all) ACL_TRY(launch(kernel, cu_stream(stream)));
    return ACL_SUCCESS;
}

aclError aclmdlExecuteAsync(uint32_t number, const void*, void* output, aclrtStream stream) {
    return run_model(number, output, cu_stream(stream));
}
// In a stream of the runtime's own.
aclError aclmdlExecute(uint32_t number, const void*, void* output) {
    CUstream own = nullptr;
    ACL_TRY(code_of(cu().cuStreamCreate(&own, CU_STREAM_NON_BLOCKING)));
    aclError code = run_model(number, output, own);
    if (code == ACL_SUCCESS) code = code_of(cu().cuStreamSynchronize(own));
    cu().cuStreamDestroy_v2(own);
    return code;
}

aclError aclmdlRICaptureBegin(aclrtStream stream, int mode) {
    return code_of(cu().cuStreamBeginCapture_v2(cu_stream(stream), static_cast<CUstreamCaptureMode>(mode)));
}
aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* model) {
    CUgraph graph = nullptr;
    CUgraphExec made = nullptr;
    ACL_TRY(code_of(cu().cuStreamEndCapture(cu_stream(stream), &graph)));
    const aclError code = code_of(cu().cuGraphInstantiateWithFlags(&made, graph, 0));
    cu().cuGraphDestroy(graph);
    *model = reinterpret_cast<aclmdlRI>(made);
    return code;
}
aclError aclmdlRICaptureGetInfo(aclrtStream stream, int* status, aclmdlRI* model) {
    CUstreamCaptureStatus found = CU_STREAM_CAPTURE_STATUS_NONE;
    if (is_of_model(stream)) return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    ACL_TRY(code_of(cu().cuStreamIsCapturing(cu_stream(stream), &found)));
    *status = found;
    *model = nullptr;
    return ACL_SUCCESS;
}
aclError aclmdlRICaptureThreadExchangeMode(int* mode) {
    auto exchanged = static_cast<CUstreamCaptureMode>(*mode);
    const aclError code = code_of(cu().cuThreadExchangeStreamCaptureMode(&exchanged));
    *mode = exchanged;
    return code;
}
aclError aclmdlRIExecuteAsync(aclmdlRI model, aclrtStream stream) {
    return code_of(cu().cuGraphLaunch(reinterpret_cast<CUgraphExec>(model), cu_stream(stream)));
}
aclError aclmdlRIDestroy(aclmdlRI model) {
    return code_of(cu().cuGraphExecDestroy(reinterpret_cast<CUgraphExec>(model)));
}
