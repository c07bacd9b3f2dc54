// Stream capture: which streams are being captured, what that forbids, and the graphs that come out. Any thread.
#pragma once

#include "fake/cuda/engine.h"

struct CUgraphNode_st {
    std::function<void()> action;
    std::vector<CUgraphNode> after;
};

struct CUgraph_st {
    std::vector<std::unique_ptr<CUgraphNode_st>> nodes;  // each after those it follows
};

namespace fake {

using Node = CUgraphNode_st;

struct Capture {
    std::unique_ptr<CUgraph_st> graph = std::make_unique<CUgraph_st>();
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    const void* thread = nullptr;
    Stream* origin = nullptr;
    std::vector<Stream*> members;
    bool invalidated = false;
    uint64_t id = 0;
};

enum class InCapture { kNode, kForbidden };  // what becomes of a command when its stream is being captured

// Puts the command into its stream, or into the graph that the stream is being captured into (then `place` stays
// empty).
CUresult submit(Stream& stream, Command command, InCapture how, Place* place = nullptr);

// Call it first in functions that are forbidden while this thread, or any thread with a global capture, captures.
CUresult capture_forbids_unsafe_call();
CUresult capture_forbids_synchronizing(Stream& stream);
CUresult capture_forbids_synchronizing(Context& context);
void forget_captures_of(Context& context);
bool is_capturing(Stream& stream);

// Events. The nodes before an event that was recorded in a captured stream.
struct CapturedPoint {
    uint64_t capture = 0;  // its id; 0: the event was not captured
    std::vector<CUgraphNode> last;
};
// Returns false, and does nothing, if the stream is not being captured.
bool record_in_capture(Stream& stream, CapturedPoint* point, CUresult* result);
// Records a wait for an event in the capture, if the stream is being captured or `point` is: the stream then joins
// that capture. Returns false, and does nothing, otherwise.
bool wait_in_capture(Stream& stream, const CapturedPoint& point, CUresult* result);
// Returns whether that capture goes on.
bool capture_alive(uint64_t id);

}  // namespace fake
