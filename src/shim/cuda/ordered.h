// Functions without work of their own that keep, or tell, the order of the work: synchronize, query, events, and the life
// of streams. Templates, one instance for each form of a function. The driver does all of it; what XSched adds is only
// what it learns: what has completed, and who waits for whom.
#pragma once

#include "base/log.h"
#include "shim/cuda/capture.h"
#include "shim/cuda/events.h"
#include "shim/cuda/launch.h"
#include "shim/cuda/streams.h"

namespace xsched::cuda {

// Marks of all queues of a context (nullptr: the current one) and what comes of them. (ordered.cpp)
class ContextMarks {
public:
    explicit ContextMarks(CUcontext context);
    void completed() const;

private:
    static constexpr unsigned kMost = 64;  // those beyond report themselves
    QueueMark marks_[kMost];
    unsigned count_ = 0;
};

template <EntryPoint kEntry>
CUresult stream_wait(CUstream stream) {
    QueueMark mark;
    {
        const KeepErrno keep;
        mark = mark_of(known_entry_of(stream, Declared<kEntry>::kPerThread));
    }
    const CUresult code = driver<kEntry>()(stream);
    const KeepErrno keep;
    if (code == CUDA_SUCCESS) completed_up_to(mark);
    return code;
}

template <EntryPoint kEntry>
CUresult stream_synchronize(CUstream stream) {
    XLOG_DEBG("%s of stream %p", Declared<kEntry>::kName, static_cast<void*>(stream));
    return stream_wait<kEntry>(stream);
}

template <EntryPoint kEntry>
CUresult stream_query(CUstream stream) {
    return stream_wait<kEntry>(stream);
}

template <EntryPoint kEntry, typename... Context>
CUresult context_synchronize(Context... context) {
    XLOG_DEBG("%s", Declared<kEntry>::kName);
    CUcontext which = nullptr;
    ((which = context), ...);
    const ContextMarks marks(which);
    const CUresult code = driver<kEntry>()(context...);
    const KeepErrno keep;
    if (code == CUDA_SUCCESS) marks.completed();
    return code;
}

// Records and waits take a place in the driver's queue as launches do, so they count as commands: else many of them
// behind a closed gate would fill it.
template <EntryPoint kEntry, typename... Flags>
CUresult event_record(CUevent event, CUstream stream, Flags... flags) {
    Launch launch(stream, Declared<kEntry>::kPerThread);
    const QueueMark mark = mark_of(launch.entry(), true);
    const CUresult code = driver<kEntry>()(event, stream, flags...);
    launch.returned(code);
    const KeepErrno keep;
    if (code != CUDA_SUCCESS) return code;
    event_recorded(event, mark);
    launch.report();
    return code;
}

template <EntryPoint kEntry, typename Context>
CUresult event_record_elsewhere(Context context, CUevent event) {
    const CUresult code = driver<kEntry>()(context, event);
    if (code == CUDA_SUCCESS) forget_event(event);
    return code;
}

// Synchronize, or a query that says yes.
template <EntryPoint kEntry>
CUresult event_wait(CUevent event) {
    const QueueMark mark = last_record(event);
    const CUresult code = driver<kEntry>()(event);
    const KeepErrno keep;
    if (code == CUDA_SUCCESS) completed_up_to(mark);
    return code;
}

template <EntryPoint kEntry>
CUresult event_destroy(CUevent event) {
    forget_event(event);
    return driver<kEntry>()(event);
}

template <EntryPoint kEntry>
CUresult stream_wait_event(CUstream stream, CUevent event, unsigned flags) {
    Launch launch(stream, Declared<kEntry>::kPerThread);
    depend_on_event(launch.entry(), event);
    CUresult code = CUDA_SUCCESS;
    if (g_captures.load(std::memory_order_relaxed) <= 0) {
        code = driver<kEntry>()(stream, event, flags);
    } else {
        const Paused paused;  // a stream that waits for a captured one is captured from here on
        code = driver<kEntry>()(stream, event, flags);
    }
    launch.returned(code);
    return code;
}

inline void log_created(CUstream stream, unsigned flags, int priority = 0) {
    XLOG_DEBG("stream %p created with flags 0x%x, priority %d", static_cast<void*>(stream), flags, priority);
}
inline void log_created(CUstream stream, CUgreenCtx, unsigned flags, int priority) {
    log_created(stream, flags, priority);
}

template <EntryPoint kEntry, typename... Properties>
CUresult stream_create(CUstream* stream, Properties... properties) {
    const CUresult code = driver<kEntry>()(stream, properties...);
    const KeepErrno keep;
    if (code != CUDA_SUCCESS || stream == nullptr) return code;
    stream_created(*stream);
    log_created(*stream, properties...);
    return code;
}

template <EntryPoint kEntry>
CUresult stream_destroy(CUstream stream) {
    XLOG_DEBG("%s of stream %p", Declared<kEntry>::kName, static_cast<void*>(stream));
    {
        const KeepErrno keep;
        stream_going(stream);
    }
    return driver<kEntry>()(stream);
}

}  // namespace xsched::cuda
