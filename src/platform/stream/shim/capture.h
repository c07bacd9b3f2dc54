// Streams that are being captured into a graph are left alone: their launches run when the graph does. While a capture
// is going on anywhere in the process each launch asks whether it is its stream that is captured; otherwise none does.
// Any thread.
#pragma once

#include <atomic>

#include "base/log.h"
#include "platform.h"
#include "platform/stream/hal/stream_id.h"

namespace xsched::stream {

extern std::atomic<int32_t> g_captures;  // begun and not ended

// The stream as functions without a per-thread suffix know it.
inline Stream plain_handle(Stream stream, bool per_thread) {
    const StreamKind kind = kind_of(stream, per_thread);
    if (kind == StreamKind::kOrdinary) return stream;
    return kind == StreamKind::kLegacy ? nullptr : reinterpret_cast<Stream>(kPerThreadStream);
}

// Asks the driver. True also if even a question to it fails: the legacy stream beside a captured blocking stream.
bool asks_capturing(Stream stream, bool per_thread);

// Copies that a thread is launching in pieces (copies.h). Natively such a copy is one command, which a capture that
// begins meanwhile has or has not: so the one waits for the other, and while something is captured no copy is taken
// apart.
bool split_begins();
void split_over();
// In the beginning of a capture that counts already.
void wait_for_splits();

inline bool capturing(Stream stream, bool per_thread) {
    return g_captures.load(std::memory_order_relaxed) > 0 && asks_capturing(stream, per_thread);
}

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
    g_captures.fetch_add(1);  // first, so that no launch of another thread misses it
    wait_for_splits();
    const Paused paused;
    const Result code = driver<kEntry>()(stream, rest...);
    if (code != kSuccess) g_captures.fetch_sub(1);
    return code;
}

template <EntryPoint kEntry>
Result end_capture(Stream stream, Graph* graph) {
    XLOG_DEBG("%s on stream %p", Declared<kEntry>::kName, static_cast<void*>(stream));
    const bool was = asks_capturing(stream, Declared<kEntry>::kPerThread);
    const Result code = driver<kEntry>()(stream, graph);
    if (was && !asks_capturing(stream, Declared<kEntry>::kPerThread)) g_captures.fetch_sub(1);
    return code;
}

}  // namespace xsched::stream
