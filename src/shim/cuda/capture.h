// Streams that are being captured into a graph are left alone: their launches run when the graph does. While a capture
// is going on anywhere in the process each launch asks whether it is its stream that is captured; otherwise nothing does.
// Any thread.
#pragma once

#include <atomic>

#include "base/log.h"
#include "device/cuda/hal_abi.h"
#include "device/cuda/stream_id.h"
#include "shim/cuda/entry_points.h"

namespace xsched::cuda {

extern std::atomic<int32_t> g_captures;  // begun and not ended

// The stream as functions without _ptsz know it.
inline CUstream plain_handle(CUstream stream, bool per_thread) {
    const StreamKind kind = kind_of(stream, per_thread);
    if (kind == StreamKind::kOrdinary) return stream;
    return kind == StreamKind::kLegacy ? nullptr : reinterpret_cast<CUstream>(kPerThreadStream);
}

// Asks the driver. True also if even a question to it fails: the legacy stream beside a captured blocking stream.
bool asks_capturing(CUstream stream, bool per_thread);

inline bool capturing(CUstream stream, bool per_thread) {
    return g_captures.load(std::memory_order_relaxed) > 0 && asks_capturing(stream, per_thread);
}

// While it lives, no call of our own is on its way to any stream.
class Paused {
public:
    Paused() { xcu_pause(); }
    ~Paused() { xcu_unpause(); }
    Paused(const Paused&) = delete;
    Paused& operator=(const Paused&) = delete;
};

template <EntryPoint kEntry, typename... Rest>
CUresult begin_capture(CUstream stream, Rest... rest) {
    XLOG_DEBG("%s on stream %p", Declared<kEntry>::kName, static_cast<void*>(stream));
    g_captures.fetch_add(1);  // first, so that no launch of another thread misses it
    const Paused paused;
    const CUresult code = driver<kEntry>()(stream, rest...);
    if (code != CUDA_SUCCESS) g_captures.fetch_sub(1);
    return code;
}

template <EntryPoint kEntry>
CUresult end_capture(CUstream stream, CUgraph* graph) {
    XLOG_DEBG("%s on stream %p", Declared<kEntry>::kName, static_cast<void*>(stream));
    const bool was = asks_capturing(stream, Declared<kEntry>::kPerThread);
    const CUresult code = driver<kEntry>()(stream, graph);
    if (was && !asks_capturing(stream, Declared<kEntry>::kPerThread)) g_captures.fetch_sub(1);
    return code;
}

}  // namespace xsched::cuda
