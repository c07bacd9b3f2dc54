#include "platform/hip/shim/streams.h"

#include <cstdlib>

#include "xsched/hint.h"

namespace xsched::hip {

// Makes the XQueue's priority follow the stream's, unless it was set otherwise.
void priority_may_have_changed(hipStream_t stream) {
    stream::StreamEntry* entry = stream::known_entry_of(stream, false);
    if (entry == nullptr || stream::kind_of(stream, false) != stream::StreamKind::kOrdinary) return;
    const stream::OwnCalls own(*stream::hal_api());
    const int32_t now = stream::stream_priority(*stream::hal_api(), stream);
    const int32_t before = entry->priority.exchange(now, std::memory_order_relaxed);
    XqQueue* xqueue = entry->xqueue.load(std::memory_order_acquire);
    if (now != before && xqueue != nullptr && xq_priority(xqueue) == before)
        XHintPriority(entry->handle.load(std::memory_order_relaxed), now);
}

}  // namespace xsched::hip

namespace xsched::stream {

// Returns how many hardware queues the runtime uses: the runtime's own variable, or the runtime's default.
unsigned hardware_queues() {
    static constinit std::atomic<unsigned> known{0};
    constexpr unsigned kUsual = 4;
    unsigned queues = known.load(std::memory_order_relaxed);
    if (queues != 0) return queues;
    const char* text = secure_getenv("GPU_MAX_HW_QUEUES");
    const long wanted = text != nullptr ? std::strtol(text, nullptr, 10) : 0;
    queues = wanted > 0 && wanted < 1024 ? static_cast<unsigned>(wanted) : kUsual;
    known.store(queues, std::memory_order_relaxed);
    return queues;
}

// Returns whether the runtime ignores priorities of streams. Newer runtimes may do so by default (rocm-systems, pull
// request 8485); 6.4.3 and 7.2.4 do not know the variable.
bool priorities_ignored() {
    static constinit std::atomic<int> told{-1};
    if (told.load(std::memory_order_relaxed) < 0) {
        const char* text = secure_getenv("DEBUG_HIP_IGNORE_STREAM_PRIORITY");
        told.store(text != nullptr && std::strtol(text, nullptr, 10) != 0 ? 1 : 0, std::memory_order_relaxed);
    }
    return told.load(std::memory_order_relaxed) > 0;
}

// Returns whether the runtime is known to move streams among hardware queues: its variable asks for that, or XSched has
// seen a move. Newer runtimes may move streams without the variable.
bool streams_move() {
    static constinit std::atomic<int> told{-1};
    if (told.load(std::memory_order_relaxed) < 0) {
        const char* text = secure_getenv("DEBUG_HIP_DYNAMIC_QUEUES");
        told.store(text != nullptr && std::strtol(text, nullptr, 10) != 0 ? 1 : 0, std::memory_order_relaxed);
    }
    return told.load(std::memory_order_relaxed) > 0 || xhip_streams_move();
}

}  // namespace xsched::stream
