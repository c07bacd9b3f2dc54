#include "platform/stream/shim/freeing.h"

#include <algorithm>
#include <atomic>

#include "base/clock.h"
#include "base/options.h"
#include "base/time.h"
#include "platform.h"
#include "platform/stream/shim/free_wait.h"
#include "platform/stream/shim/memory.h"
#include "platform/stream/shim/streams.h"

namespace xsched::stream {
namespace {

// What this process has freed while somebody's copies were foreseen is filled by then. Of all its devices.
constinit std::atomic<int64_t> g_filled_ns{0};

// Bytes per nanosecond; 0: calls do not wait.
int64_t fill_rate() {
    constexpr int64_t kAsThePlatform = -1;
    const int64_t wanted = base::options().fill_rate;
    return wanted != kAsThePlatform ? wanted : kFillRate;
}

// As ipc::Header::copy_burst_ns.
int64_t copy_burst_ns() {
    int64_t burst_ns = 0;
    for_each_entry([&burst_ns](const StreamEntry& entry) {
        if (XqQueue* const queue = entry.xqueue.load(std::memory_order_acquire); queue != nullptr && burst_ns == 0)
            burst_ns = xq_copy_burst_ns(queue);
    });
    return burst_ns;
}

}  // namespace

int64_t wait_to_free(uintptr_t memory) {
    const int64_t rate = fill_rate();
    if (rate == 0 || copy_burst_ns() == 0) [[likely]]
        return 0;
    const Memory freed = memory_at(memory);
    if (freed.place != Memory::Place::kDevice || freed.begin != memory) return 0;
    const int64_t fills_ns = static_cast<int64_t>(freed.bytes) / rate;
    FreeWait wait(base::now_ns(), g_filled_ns.load(std::memory_order_relaxed), fills_ns);
    while (const int64_t ns = wait.look(base::now_ns(), g_filled_ns.load(std::memory_order_relaxed), copy_burst_ns()))
        base::sleep_ns(ns);
    return fills_ns;
}

void note_freed(int64_t fills_ns) {
    if (fills_ns == 0) return;
    int64_t filled_ns = g_filled_ns.load(std::memory_order_relaxed);
    while (!g_filled_ns.compare_exchange_weak(filled_ns, std::max(base::now_ns(), filled_ns) + fills_ns,
                                              std::memory_order_relaxed)) {
    }
}

}  // namespace xsched::stream
