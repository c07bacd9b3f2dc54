// Graphs: captured in all modes, forked and joined, while everything else goes on; launched again and again.
#include <shared_mutex>

#include "order/cuda/parts.h"
#include "order/cuda/worker.h"

namespace order::cuda {
namespace {

constexpr size_t kMostGraphs = 4;
constexpr auto kUpdateRefused = static_cast<CUresult>(910);  // CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE

void expect_capturing(CUstream stream, const char* when) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    expect_success(api().cuStreamIsCapturing(stream, &status), "cuStreamIsCapturing");
    if (status != CU_STREAM_CAPTURE_STATUS_ACTIVE) violation("capture status %d %s", static_cast<int>(status), when);
}

}  // namespace

// Two buffers: append to the first, fork; meanwhile append to both; join; mix the second into the first. All three
// orders of independent nodes have the same result. Both buffers are held.
CUgraph Worker::capture(Context& context, Graph& graph, uint32_t seed) {
    const Own& own = own_[&context];
    const CUstream main = own.captured->handle, side = own.forked->handle;
    const Api& table = random_.once_in(2) ? ::cuda::api() : ::cuda::per_thread_api();
    // Seldom global: everybody then waits for everybody.
    const auto mode =
        random_.once_in(10) ? CU_STREAM_CAPTURE_MODE_GLOBAL : static_cast<CUstreamCaptureMode>(1 + random_.below(2));
    const std::shared_lock capturing(any_capture());
    std::unique_lock<std::shared_mutex> alone;
    if (mode == CU_STREAM_CAPTURE_MODE_GLOBAL) alone = std::unique_lock(unsafe_calls());
    const CUevent fork = context.new_event(false), join = context.new_event(false);
    CUgraph captured = nullptr;
    Activity::set("capturing");
    capturing_ = true;
    capturing_workers().fetch_add(1);
    expect_success(table.cuStreamBeginCapture_v2(main, mode), "cuStreamBeginCapture");
    expect_success(launch_append(context, {table, main}, graph.first->address, seed), "a captured launch");
    expect_success(table.cuEventRecord(fork, main), "cuEventRecord (captured)");
    expect_success(table.cuStreamWaitEvent(side, fork, CU_EVENT_WAIT_DEFAULT), "cuStreamWaitEvent (captured)");
    expect_capturing(side, "of a stream that joined by an event");
    expect_success(launch_append(context, {table, side}, graph.second->address, seed + 1), "a captured launch");
    expect_success(table.cuMemsetD32Async(graph.first->address, seed, 1, main), "a captured memset");
    // Other streams go on as ever.
    for (uint32_t i = random_.below(3); i > 0; --i) random_.once_in(2) ? run_append(context) : run_device_copy(context);
    expect_success(launch_append(context, {table, side}, graph.second->address, seed + 2), "a captured launch");
    expect_success(table.cuEventRecord(join, side), "cuEventRecord (captured)");
    expect_success(table.cuStreamWaitEvent(main, join, CU_EVENT_WAIT_DEFAULT), "cuStreamWaitEvent (captured)");
    uint32_t value = seed + 3, count = kWords;
    void* parameters[] = {&graph.first->address, &graph.second->address, &value, &count};
    expect_success(table.cuLaunchKernel(context.kernels.mix, 1, 1, 1, kWords, 1, 1, 0, main, parameters, nullptr),
                   "a captured launch");
    expect_capturing(main, "before the end of its capture");
    expect_success(table.cuStreamEndCapture(main, &captured), "cuStreamEndCapture");
    capturing_ = false;
    capturing_workers().fetch_sub(1);
    expect_success(api().cuEventDestroy_v2(fork), "cuEventDestroy");
    expect_success(api().cuEventDestroy_v2(join), "cuEventDestroy");
    graph.seed = seed;
    size_t nodes = 0;
    if (captured != nullptr) expect_success(api().cuGraphGetNodes(captured, nullptr, &nodes), "cuGraphGetNodes");
    if (nodes != 5) violation("a captured graph has %zu nodes, not the 5 of its program", nodes);
    count_operation();
    return captured;
}

void Worker::run_capture(Context& context) {
    auto& graphs = graphs_[&context];
    Graph graph;
    Lock first_lock, second_lock;
    graph.first = take(context.buffers, first_lock);
    graph.second = graph.first != nullptr ? take(context.buffers, second_lock) : nullptr;
    if (graph.second == nullptr) return;
    const CUgraph captured = capture(context, graph, random_.next());
    if (captured == nullptr) return;
    if (!random_.once_in(8)) {
        const std::shared_lock unsafe(unsafe_calls());
        expect_success(api().cuGraphInstantiateWithFlags(&graph.exec, captured, 0), "cuGraphInstantiate");
        ++graph.first->graphs;
        ++graph.second->graphs;
    }
    expect_success(api().cuGraphDestroy(captured), "cuGraphDestroy");
    first_lock.unlock();
    second_lock.unlock();
    if (graph.exec == nullptr) return;
    if (graphs.size() >= kMostGraphs) drop_graph(context, random_.below(kMostGraphs));
    graphs.push_back(std::move(graph));
}

void Worker::drop_graph(Context& context, size_t at) {
    auto& graphs = graphs_[&context];
    Graph graph = std::move(graphs[at]);
    graphs.erase(graphs.begin() + static_cast<std::ptrdiff_t>(at));
    if (graph.last_launch) {
        Activity::set("waiting for a graph's last launch");
        graph.last_launch->settle();
    }
    {
        const std::shared_lock unsafe(unsafe_calls());
        expect_success(api().cuGraphExecDestroy(graph.exec), "cuGraphExecDestroy");
    }
    for (Buffer* it : {graph.first, graph.second}) {
        const std::lock_guard lock(it->mutex);
        --it->graphs;
    }
}

void Worker::run_graph(Context& context) {
    auto& graphs = graphs_[&context];
    if (graphs.empty()) return run_append(context);
    Graph& graph = graphs[random_.below(static_cast<uint32_t>(graphs.size()))];
    Lock first(graph.first->mutex, std::try_to_lock);
    Lock second(graph.second->mutex, std::try_to_lock);
    if (!first.owns_lock() || !second.owns_lock()) return;
    if (random_.once_in(12) && !left_out(Part::kUpdate)) {  // the same with other values
        const CUgraph captured = capture(context, graph, random_.next());
        if (captured == nullptr) return;
        std::shared_lock unsafe(unsafe_calls());
        const CUresult result = api().cuGraphExecUpdate_v2(graph.exec, captured, nullptr);
        if (result == kUpdateRefused) {  // a driver may, and the program makes it again
            unsafe.unlock();  // settle takes it by itself
            if (graph.last_launch) graph.last_launch->settle();
            unsafe.lock();
            expect_success(api().cuGraphExecDestroy(graph.exec), "cuGraphExecDestroy");
            expect_success(api().cuGraphInstantiateWithFlags(&graph.exec, captured, 0), "cuGraphInstantiate");
        } else {
            expect_success(result, "cuGraphExecUpdate");
        }
        expect_success(api().cuGraphDestroy(captured), "cuGraphDestroy");
    }
    const StreamPtr stream = pick_stream(context);
    follow(stream, *graph.first);
    follow(stream, *graph.second);
    const Target to = target(*stream);
    Activity::set("cuGraphLaunch");
    expect_success(to.api.cuGraphLaunch(graph.exec, to.handle), "cuGraphLaunch");
    graph.second->apply(append_step(graph.seed + 1));
    graph.second->apply(append_step(graph.seed + 2));
    graph.first->apply(append_step(graph.seed));
    graph.first->apply(first_step(graph.seed));
    graph.first->apply(mix_step(graph.second->model, graph.seed + 3), graph.second);
    accessed(stream, {graph.first, graph.second}, "graph launch");
    if (graph.first->last) {
        graph.last_launch = graph.first->last;
    } else {
        graph.last_launch = record(*stream, "graph launch");
        track(graph.last_launch);
    }
}

}  // namespace order::cuda
