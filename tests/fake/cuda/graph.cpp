// Graphs: built by capture or by hand, launched as one command of a stream.
#include <algorithm>

#include "fake/cuda/capture.h"
#include "fake/cuda/context.h"
#include "fake/cuda/launch.h"
#include "fake/cuda/live.h"

using namespace fake;

namespace fake {

struct Step {
    std::function<void()> action;
    std::vector<size_t> after;
};
using Steps = std::vector<Step>;

}  // namespace fake

struct CUgraphExec_st {
    std::mutex mutex;
    std::shared_ptr<const Steps> steps;  // a launch keeps those it was made with
    Place last;                          // its launches do not overlap
    Stream* inner = nullptr;  // with FAKE_HIP_GRAPH_STREAMS, from its first launch on: where its work goes
};

namespace {

std::shared_ptr<const Steps> steps_of(const CUgraph_st& graph) {
    auto steps = std::make_shared<Steps>();
    for (const auto& node : graph.nodes) {
        Step step{node->action, {}};
        for (const CUgraphNode before : node->after) {
            const auto at = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                         [&](const auto& it) { return it.get() == before; });
            step.after.push_back(static_cast<size_t>(at - graph.nodes.begin()));
        }
        steps->push_back(std::move(step));
    }
    return steps;
}

// In any order that the edges allow.
void run_steps(const Steps& steps) {
    std::vector<bool> done(steps.size(), false);
    for (size_t left = steps.size(); left > 0;) {
        for (size_t i = random_below(steps.size()), tries = 0; tries < steps.size();
             ++tries, i = (i + 1) % steps.size()) {
            const auto& after = steps[i].after;
            if (done[i] || !std::all_of(after.begin(), after.end(), [&](size_t it) { return done[it]; })) continue;
            if (steps[i].action) steps[i].action();
            done[i] = true;
            --left;
            break;
        }
    }
}

// AMD's runtime has such inner streams: no program sees them, but they have hardware queues. exec->mutex held.
bool has_inner_stream(CUgraphExec_st& exec, const Stream& stream) {
    if (!g_settings.graph_streams || noop() || (exec.inner != nullptr && exec.inner->context != stream.context))
        return false;
    if (exec.inner != nullptr) return true;
    const std::lock_guard lock(stream.context->mutex);
    exec.inner = stream.device->new_stream(*stream.context, false, 0);
    return true;
}

void end_inner_stream(CUgraphExec_st& exec) {
    if (exec.inner == nullptr) return;
    Context& context = *exec.inner->context;
    const std::lock_guard lock(context.mutex);
    if (context.alive) context.hardware.give(exec.inner->hardware);
    exec.inner->to_body = nullptr;
    exec.inner->alive = false;
    exec.inner->device->wake();
}

CUresult instantiate(CUgraphExec* exec, CUgraph graph) {
    if (exec == nullptr || graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *exec = new CUgraphExec_st;
    (*exec)->steps = steps_of(*graph);
    count_live("graph exec", 1);
    return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuGraphCreate(CUgraph* graph, unsigned int) {
    FAKE_ENTRY();
    *graph = new CUgraph_st;
    count_live("graph", 1);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGraphDestroy(CUgraph graph) {
    FAKE_ENTRY();
    delete graph;
    count_live("graph", -1);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                                         const CUDA_KERNEL_NODE_PARAMS* parameters) {
    FAKE_ENTRY();
    const KernelObject* kernel =
        kernel_of(parameters->func != nullptr ? parameters->func : reinterpret_cast<CUfunction>(parameters->kern));
    if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    std::function<void()> action;
    FAKE_TRY(kernel_action(*kernel,
                           threads_of(parameters->gridDimX, parameters->gridDimY, parameters->gridDimZ) *
                               threads_of(parameters->blockDimX, parameters->blockDimY, parameters->blockDimZ),
                           parameters->kernelParams, parameters->extra, &action));
    graph->nodes.push_back(std::make_unique<Node>(Node{std::move(action), {after, after + count}}));
    *node = graph->nodes.back().get();
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
    FAKE_ENTRY();
    for (size_t i = 0; nodes != nullptr && i < *count; ++i)
        nodes[i] = i < graph->nodes.size() ? graph->nodes[i].get() : nullptr;
    *count = graph->nodes.size();
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long) {
    FAKE_ENTRY();
    return instantiate(exec, graph);
}
CUresult CUDAAPI cuGraphInstantiate_v2(CUgraphExec* exec, CUgraph graph, CUgraphNode*, char*, size_t) {
    FAKE_ENTRY();
    return instantiate(exec, graph);
}

CUresult CUDAAPI cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* info) {
    FAKE_ENTRY();
    const std::lock_guard lock(exec->mutex);
    const bool same = exec->steps->size() == graph->nodes.size();
    if (info != nullptr)
        *info = {same ? CU_GRAPH_EXEC_UPDATE_SUCCESS : CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, nullptr, nullptr};
    if (!same) return static_cast<CUresult>(910);  // CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE
    exec->steps = steps_of(*graph);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGraphExecDestroy(CUgraphExec exec) {
    FAKE_ENTRY();
    end_inner_stream(*exec);
    delete exec;
    count_live("graph exec", -1);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGraphUpload(CUgraphExec, CUstream handle) {
    FAKE_ENTRY();
    Stream* stream = nullptr;
    FAKE_TRY(stream_of(handle, Within::kOwnContext, &stream));
    return submit(*stream, {}, InCapture::kForbidden);
}
FAKE_PER_THREAD(cuGraphUpload, _ptsz, (CUgraphExec exec, CUstream stream), (exec, stream))

CUresult CUDAAPI cuGraphLaunch(CUgraphExec exec, CUstream handle) {
    FAKE_ENTRY();
    Stream* stream = nullptr;
    FAKE_TRY(stream_of(handle, Within::kOwnContext, &stream));
    const std::lock_guard lock(exec->mutex);
    Command command;
    command.action = [steps = exec->steps] { run_steps(*steps); };
    if (exec->last.stream != nullptr && exec->last.stream != stream && !exec->last.complete())
        command.after.push_back(exec->last);
    if (!stream->legacy && !is_capturing(*stream) && has_inner_stream(*exec, *stream)) {
        exec->last = enqueue_inside(*stream, *exec->inner, std::move(command));
        return CUDA_SUCCESS;
    }
    return submit(*stream, std::move(command), InCapture::kNode, &exec->last);
}
FAKE_PER_THREAD(cuGraphLaunch, _ptsz, (CUgraphExec exec, CUstream stream), (exec, stream))
}
