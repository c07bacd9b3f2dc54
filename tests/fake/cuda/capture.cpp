#include "fake/cuda/capture.h"

#include <algorithm>

#include "fake/cuda/context.h"
#include "fake/cuda/fake_cuda.h"
#include "fake/cuda/live.h"

namespace fake {
namespace {

std::atomic<int> g_captures{0};
std::atomic<long> g_disturbed{0};
thread_local CUstreamCaptureMode t_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
thread_local char t_thread = 0;  // its address names the thread

std::mutex& capture_mutex() {
    static std::mutex& it = *new std::mutex;
    return it;
}
// Returns the captures under way. capture_mutex held.
std::vector<std::unique_ptr<Capture>>& captures() {
    static auto& it = *new std::vector<std::unique_ptr<Capture>>;
    return it;
}

bool nobody_captures() { return g_captures.load() == 0; }

// All of these: capture_mutex held.
CUresult disturb(Capture& capture, CUresult code) {
    capture.invalidated = true;
    g_disturbed.fetch_add(1);
    return code;
}

CUresult disturb_blocking_captures(Context& context) {
    CUresult result = CUDA_SUCCESS;
    for (const auto& it : captures()) {
        const auto blocks = [&](const Stream* member) { return member->context == &context && member->blocking; };
        if (std::any_of(it->members.begin(), it->members.end(), blocks))
            result = disturb(*it, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    }
    return result;
}

CUgraphNode add_node(CUgraph graph, std::function<void()> action, std::vector<CUgraphNode> after) {
    graph->nodes.push_back(std::make_unique<Node>(Node{std::move(action), std::move(after)}));
    return graph->nodes.back().get();
}

CUresult capture_command(Stream& stream, Command& command, InCapture how) {
    Capture& capture = *stream.capture;
    if (how == InCapture::kForbidden) return disturb(capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    if (capture.invalidated) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    stream.captured_last = {add_node(capture.graph.get(), std::move(command.action), std::move(stream.captured_last))};
    return CUDA_SUCCESS;
}

void join(Capture& capture, Stream& stream) {
    stream.capture = &capture;
    stream.captured_last.clear();
    capture.members.push_back(&stream);
}

void end(Capture& capture) {
    for (Stream* it : capture.members) {
        it->capture = nullptr;
        it->captured_last.clear();
    }
    auto& all = captures();
    all.erase(std::find_if(all.begin(), all.end(), [&](const auto& it) { return it.get() == &capture; }));
    g_captures.fetch_sub(1);
}

// Returns whether each node of the graph is one of `ends` or comes before one.
bool all_joined(const CUgraph_st& graph, std::vector<CUgraphNode> ends) {
    std::vector<CUgraphNode> seen;
    while (!ends.empty()) {
        const CUgraphNode node = ends.back();
        ends.pop_back();
        if (std::find(seen.begin(), seen.end(), node) != seen.end()) continue;
        seen.push_back(node);
        ends.insert(ends.end(), node->after.begin(), node->after.end());
    }
    return seen.size() == graph.nodes.size();
}

Capture* capture_with(uint64_t id) {
    for (const auto& it : captures())
        if (it->id == id) return it.get();
    return nullptr;
}

CUresult begin_capture(Stream& stream, CUstreamCaptureMode mode) {
    static uint64_t ids = 1;
    const std::lock_guard lock(capture_mutex());
    if (stream.legacy) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (stream.capture != nullptr) return disturb(*stream.capture, CUDA_ERROR_ILLEGAL_STATE);
    auto capture = std::make_unique<Capture>();
    capture->mode = mode;
    capture->thread = &t_thread;
    capture->origin = &stream;
    capture->id = ids++;
    join(*capture, stream);
    captures().push_back(std::move(capture));
    g_captures.fetch_add(1);
    return CUDA_SUCCESS;
}

CUresult end_capture(Stream& stream, CUgraph* graph) {
    const std::lock_guard lock(capture_mutex());
    *graph = nullptr;
    Capture* capture = stream.capture;
    if (capture == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
    if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture->thread != &t_thread)
        return disturb(*capture, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    if (capture->origin != &stream) return disturb(*capture, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    CUresult result = CUDA_SUCCESS;
    if (capture->invalidated)
        result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    else if (!all_joined(*capture->graph, stream.captured_last))
        result = disturb(*capture, CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    if (result == CUDA_SUCCESS) {
        *graph = capture->graph.release();
        count_live("graph", 1);
    }
    end(*capture);
    return result;
}

CUresult capture_status(Stream& stream, CUstreamCaptureStatus* status, cuuint64_t* id) {
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    if (nobody_captures()) return CUDA_SUCCESS;
    const std::lock_guard lock(capture_mutex());
    if (stream.legacy) {
        for (const auto& it : captures())
            for (const Stream* member : it->members)
                if (member->context == stream.context && member->blocking) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
        return CUDA_SUCCESS;
    }
    if (stream.capture == nullptr) return CUDA_SUCCESS;
    *status = stream.capture->invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    if (id != nullptr) *id = stream.capture->id;
    return CUDA_SUCCESS;
}

}  // namespace

CUresult submit(Stream& stream, Command command, InCapture how, Place* place) {
    if (place != nullptr) *place = {};
    if (!nobody_captures()) {
        const std::lock_guard lock(capture_mutex());
        if (stream.capture != nullptr) return capture_command(stream, command, how);
        if (stream.legacy) FAKE_TRY(disturb_blocking_captures(*stream.context));
    }
    const Place end = enqueue(stream, std::move(command));
    if (place != nullptr) *place = end;
    return CUDA_SUCCESS;
}

CUresult capture_forbids_unsafe_call() {
    if (nobody_captures() || t_mode == CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_SUCCESS;
    const std::lock_guard lock(capture_mutex());
    CUresult result = CUDA_SUCCESS;
    for (const auto& it : captures()) {
        if (it->mode == CU_STREAM_CAPTURE_MODE_RELAXED) continue;
        const bool global = t_mode == CU_STREAM_CAPTURE_MODE_GLOBAL && it->mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
        if (global || it->thread == &t_thread) result = disturb(*it, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    return result;
}

CUresult capture_forbids_synchronizing(Stream& stream) {
    if (nobody_captures()) return CUDA_SUCCESS;
    const std::lock_guard lock(capture_mutex());
    if (stream.legacy) return disturb_blocking_captures(*stream.context);
    return stream.capture != nullptr ? disturb(*stream.capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) : CUDA_SUCCESS;
}

CUresult capture_forbids_synchronizing(Context& context) {
    if (nobody_captures()) return CUDA_SUCCESS;
    const std::lock_guard lock(capture_mutex());
    CUresult result = CUDA_SUCCESS;
    for (const auto& it : captures())
        if (it->origin->context == &context) result = disturb(*it, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    return result;
}

void forget_captures_of(Context& context) {
    const std::lock_guard lock(capture_mutex());
    for (size_t i = captures().size(); i-- > 0;)
        if (captures()[i]->origin->context == &context) end(*captures()[i]);
}

bool is_capturing(Stream& stream) {
    if (nobody_captures()) return false;
    const std::lock_guard lock(capture_mutex());
    return stream.capture != nullptr;
}

bool record_in_capture(Stream& stream, CapturedPoint* point, CUresult* result) {
    *point = {};
    if (nobody_captures()) return false;
    const std::lock_guard lock(capture_mutex());
    if (stream.capture == nullptr) return false;
    *point = {stream.capture->id, stream.captured_last};
    *result = stream.capture->invalidated ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
    return true;
}

bool wait_in_capture(Stream& stream, const CapturedPoint& point, CUresult* result) {
    if (nobody_captures() && point.capture == 0) return false;
    const std::lock_guard lock(capture_mutex());
    Capture* other = point.capture != 0 ? capture_with(point.capture) : nullptr;
    if (stream.capture == nullptr && point.capture == 0) return false;
    if (stream.capture == nullptr && other == nullptr) {
        *result = CUDA_ERROR_INVALID_VALUE;  // recorded in a capture that has ended
        return true;
    }
    if (stream.capture == nullptr) {
        if (stream.legacy) {
            *result = disturb(*other, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
            return true;
        }
        join(*other, stream);
    }
    Capture& capture = *stream.capture;
    if (other == nullptr)
        *result = disturb(capture, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    else if (other != &capture)
        *result = disturb(capture, CUDA_ERROR_STREAM_CAPTURE_MERGE);
    else
        *result = capture.invalidated ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
    if (*result == CUDA_SUCCESS)
        stream.captured_last.insert(stream.captured_last.end(), point.last.begin(), point.last.end());
    return true;
}

bool capture_alive(uint64_t id) {
    if (id == 0 || nobody_captures()) return false;
    const std::lock_guard lock(capture_mutex());
    return capture_with(id) != nullptr;
}

}  // namespace fake

using namespace fake;

extern "C" {

long fake_cuda_capture_disturbed() { return g_disturbed.load(); }

CUresult CUDAAPI cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode mode) {
    FAKE_ENTRY();
    Stream* stream = nullptr;
    FAKE_TRY(stream_of(handle, Within::kAnyContext, &stream));
    return begin_capture(*stream, mode);
}
FAKE_PER_THREAD(cuStreamBeginCapture_v2, _ptsz, (CUstream stream, CUstreamCaptureMode mode), (stream, mode))
CUresult CUDAAPI cuStreamBeginCapture(CUstream stream) {
    return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}
FAKE_PER_THREAD(cuStreamBeginCapture, _ptsz, (CUstream stream), (stream))

// Begins a capture by a function of a future CUDA, which makes a new graph.
CUresult CUDAAPI cuStreamBeginRecaptureToGraph(CUstream stream, CUstreamCaptureMode mode, CUgraph graph,
                                               FakeRecaptureCallback, void*) {
    if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return cuStreamBeginCapture_v2(stream, mode);
}
// Begins the capture of a command list for graphics, which runs without a graph of CUDA's.
CUresult CUDAAPI cuStreamBeginCaptureToCig(CUstream stream, void*) {
    return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
}
CUresult CUDAAPI cuStreamEndCaptureToCig(CUstream stream) {
    CUgraph graph = nullptr;
    FAKE_TRY(cuStreamEndCapture(stream, &graph));
    return cuGraphDestroy(graph);
}

// Functions of an invented future CUDA, which the shim's table does not have: one begins a stream capture, one ends
// it.
CUresult CUDAAPI cuStreamBeginFutureCapture(CUstream stream, CUstreamCaptureMode mode, void*) {
    return cuStreamBeginCapture_v2(stream, mode);
}
CUresult CUDAAPI cuStreamEndFutureCapture(CUstream stream, CUgraph* graph, void*) {
    return cuStreamEndCapture(stream, graph);
}

CUresult CUDAAPI cuStreamEndCapture(CUstream handle, CUgraph* graph) {
    FAKE_ENTRY();
    if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Stream* stream = nullptr;
    FAKE_TRY(stream_of(handle, Within::kAnyContext, &stream));
    return end_capture(*stream, graph);
}
FAKE_PER_THREAD(cuStreamEndCapture, _ptsz, (CUstream stream, CUgraph* graph), (stream, graph))

CUresult CUDAAPI cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus* status) {
    FAKE_ENTRY();
    if (status == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Stream* stream = nullptr;
    FAKE_TRY(stream_of(handle, Within::kAnyContext, &stream));
    return capture_status(*stream, status, nullptr);
}
FAKE_PER_THREAD(cuStreamIsCapturing, _ptsz, (CUstream stream, CUstreamCaptureStatus* status), (stream, status))

CUresult CUDAAPI cuStreamGetCaptureInfo_v2(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id,
                                           CUgraph* graph, const CUgraphNode** last, size_t* count) {
    FAKE_ENTRY();
    if (status == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Stream* stream = nullptr;
    FAKE_TRY(stream_of(handle, Within::kAnyContext, &stream));
    FAKE_TRY(capture_status(*stream, status, id));
    if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return CUDA_SUCCESS;
    const std::lock_guard lock(capture_mutex());
    if (graph != nullptr) *graph = stream->capture->graph.get();
    if (last != nullptr) *last = stream->captured_last.data();
    if (count != nullptr) *count = stream->captured_last.size();
    return CUDA_SUCCESS;
}
FAKE_PER_THREAD(cuStreamGetCaptureInfo_v2, _ptsz,
                (CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                 const CUgraphNode** last, size_t* count),
                (stream, status, id, graph, last, count))
CUresult CUDAAPI cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id) {
    return cuStreamGetCaptureInfo_v2(stream, status, id, nullptr, nullptr, nullptr);
}
FAKE_PER_THREAD(cuStreamGetCaptureInfo, _ptsz, (CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id),
                (stream, status, id))

CUresult CUDAAPI cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
    FAKE_ENTRY();
    if (mode == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::swap(*mode, t_mode);
    return CUDA_SUCCESS;
}
}
