// Finds streams that are being captured into a graph. They get no gates and no reports: their launches run when the
// graph does. Only the driver knows which streams these are, since a capture may begin by a function that this version
// does not know, or without the shim. So a launch asks the driver when the answer matters: while a stream of the
// process was seen captured, and in a queue that is watched (XqGateOps::captured). The question takes 27 ns, a launch
// 1.3 us (measured: H200, driver 580). A program that is alone and captures nothing asks nothing. Any thread.
#pragma once

#include <atomic>

#include "base/log.h"
#include "base/no_copies.h"
#include "platform.h"
#include "platform/stream/hal/stream_id.h"
#include "platform/stream/shim/device_use.h"

namespace xsched::stream {

// Number of streams seen captured, plus captures that are beginning. 0: none is known.
extern std::atomic<uint32_t> g_may_be_captured;

// Returns the stream's handle for functions without a per-thread suffix.
inline Stream plain_handle(Stream stream, bool per_thread) {
    const StreamKind kind = kind_of(stream, per_thread);
    if (kind == StreamKind::kOrdinary) return stream;
    return kind == StreamKind::kLegacy ? nullptr : reinterpret_cast<Stream>(kPerThreadStream);
}

// Asks the driver whether the stream is captured. Returns true also if the question itself fails: the legacy stream
// beside a captured blocking stream.
bool asks_capturing(Stream stream, bool per_thread);

// Notes that the driver captures the stream, or is about to.
void note_captured(Stream stream, bool per_thread);
// Forgets a stream whose capture has ended, or that was destroyed.
void forget_captured(Stream stream, bool per_thread);
void forget_captures_of(Context context);

inline bool may_be_captured() { return g_may_be_captured.load(std::memory_order_relaxed) != 0; }
// Asks the driver about each stream seen captured. Returns whether one still is.
bool asks_some_captured();
inline bool some_captured() { return may_be_captured() && asks_some_captured(); }

// Called before a launch: returns whether the stream is captured, if any stream is.
bool launch_asks_capturing(Stream stream, bool per_thread);
inline bool capturing(Stream stream, bool per_thread) {
    return may_be_captured() && launch_asks_capturing(stream, per_thread);
}

// Begin and end a thread's copy in pieces (copies.h). split_begins returns false if a capture forbids it now. Natively
// such a copy is one command, which a capture either contains or not. So a capture that begins waits for the copy's
// end, and no copy is split while a stream is captured.
bool split_begins();
void split_over();
// Waits until copies in pieces that other threads have begun are complete. Called when a capture begins, after other
// threads can see that it does.
void wait_for_splits();

// During its life a capture is beginning, and launches of other threads ask about it.
class CaptureBegins : base::NoCopies {
public:
    CaptureBegins();
    ~CaptureBegins();
};

// During its life XSched makes no calls into any stream.
class Paused : base::NoCopies {
public:
    Paused() { hal_pause(); }
    ~Paused() { hal_unpause(); }
};

template <EntryPoint kEntry, typename... Rest>
Result begin_capture(Stream stream, Rest... rest) {
    XLOG_DEBG("%s on stream %p", Declared<kEntry>::kName, static_cast<void*>(stream));
    DeviceUse use;  // while memory is moved no capture begins
    const CaptureBegins begins;
    wait_for_splits();
    const Paused paused;
    const Result code = driver<kEntry>()(stream, rest...);
    if (code == kSuccess) note_captured(stream, Declared<kEntry>::kPerThread);
    use.leave();
    return code;
}

// Hooks a function that ends a capture. `what`: the graph, or what other forms return.
template <EntryPoint kEntry, typename... What>
Result end_capture(Stream stream, What... what) {
    XLOG_DEBG("%s on stream %p", Declared<kEntry>::kName, static_cast<void*>(stream));
    const Result code = driver<kEntry>()(stream, what...);
    if (!asks_capturing(stream, Declared<kEntry>::kPerThread)) forget_captured(stream, Declared<kEntry>::kPerThread);
    return code;
}

}  // namespace xsched::stream
