// Streams that are being captured into a graph are left alone: their launches run when the graph does. Only the driver
// knows which streams those are, since a capture may begin by a function that this version does not know, or past the
// shim. So a launch asks the driver where the answer matters: while some stream of the process was seen captured
// (below), and in a queue that others follow (XqGateOps::captured). The question takes 27 ns and a launch 1.3 us
// (measured: H200, driver 580). A program that is alone and captures nothing asks nothing.
// Any thread.
#pragma once

#include <atomic>

#include "base/log.h"
#include "platform.h"
#include "platform/stream/hal/stream_id.h"

namespace xsched::stream {

// How many streams were seen captured, and how many captures are just beginning. 0: none is known.
extern std::atomic<uint32_t> g_may_be_captured;

// The stream as functions without a per-thread suffix know it.
inline Stream plain_handle(Stream stream, bool per_thread) {
    const StreamKind kind = kind_of(stream, per_thread);
    if (kind == StreamKind::kOrdinary) return stream;
    return kind == StreamKind::kLegacy ? nullptr : reinterpret_cast<Stream>(kPerThreadStream);
}

// Asks the driver. True also if even a question to it fails: the legacy stream beside a captured blocking stream.
bool asks_capturing(Stream stream, bool per_thread);

// The driver said that the stream is captured, or is about to capture it.
void note_captured(Stream stream, bool per_thread);
// Its capture is over, or the stream is.
void forget_captured(Stream stream, bool per_thread);
void forget_captures_of(Context context);

inline bool may_be_captured() { return g_may_be_captured.load(std::memory_order_relaxed) != 0; }
// Whether any stream of the process is captured, as far as was seen. The driver is asked again about each of those.
bool asks_some_captured();
inline bool some_captured() { return may_be_captured() && asks_some_captured(); }

// Before a launch: whether the stream is captured, if any stream is.
bool launch_asks_capturing(Stream stream, bool per_thread);
inline bool capturing(Stream stream, bool per_thread) {
    return may_be_captured() && launch_asks_capturing(stream, per_thread);
}

// Copies that a thread is launching in pieces (copies.h). Natively such a copy is one command, which a capture that
// begins meanwhile has or has not: so the one waits for the other, and while something is captured no copy is taken
// apart.
bool split_begins();
void split_over();
// In the beginning of a capture that others see already.
void wait_for_splits();

// While it lives, a capture is beginning somewhere: no launch of another thread misses it.
class CaptureBegins {
public:
    CaptureBegins();
    ~CaptureBegins();
    CaptureBegins(const CaptureBegins&) = delete;
    CaptureBegins& operator=(const CaptureBegins&) = delete;
};

// While it lives, no call of our own is on its way to any stream.
class Paused {
public:
    Paused() { hal_pause(); }
    ~Paused() { hal_unpause(); }
    Paused(const Paused&) = delete;
    Paused& operator=(const Paused&) = delete;
};

template <EntryPoint kEntry, typename... Rest>
Result begin_capture(Stream stream, Rest... rest) {
    XLOG_DEBG("%s on stream %p", Declared<kEntry>::kName, static_cast<void*>(stream));
    const CaptureBegins begins;
    wait_for_splits();
    const Paused paused;
    const Result code = driver<kEntry>()(stream, rest...);
    if (code == kSuccess) note_captured(stream, Declared<kEntry>::kPerThread);
    return code;
}

// `what`: the graph, and in other forms what the platform's capture ends in.
template <EntryPoint kEntry, typename... What>
Result end_capture(Stream stream, What... what) {
    XLOG_DEBG("%s on stream %p", Declared<kEntry>::kName, static_cast<void*>(stream));
    const Result code = driver<kEntry>()(stream, what...);
    if (!asks_capturing(stream, Declared<kEntry>::kPerThread)) forget_captured(stream, Declared<kEntry>::kPerThread);
    return code;
}

}  // namespace xsched::stream
