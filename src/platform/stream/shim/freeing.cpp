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

// When the driver will have scrubbed all memory that this process freed while another program's copies were predicted,
// on all devices.
constinit std::atomic<int64_t> g_scrubbed_ns{0};

// Returns how many bytes per nanosecond the driver scrubs after a free; 0: frees are never delayed.
int64_t scrub_rate() {
    constexpr int64_t kAsThePlatform = -1;
    const int64_t wanted = base::options().scrub_rate;
    return wanted != kAsThePlatform ? wanted : kScrubRate;
}

// Returns ipc::Header::copy_burst_ns, as the scheduler wrote it last.
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
    const int64_t rate = scrub_rate();
    if (rate == 0 || copy_burst_ns() == 0) [[likely]]
        return 0;
    const Memory freed = memory_at(memory);
    if (freed.place != Memory::Place::kDevice || freed.begin != memory) return 0;
    const int64_t scrubs_ns = static_cast<int64_t>(freed.bytes) / rate;
    FreeWait wait(base::now_ns(), g_scrubbed_ns.load(std::memory_order_relaxed), scrubs_ns);
    while (const int64_t ns = wait.look(base::now_ns(), g_scrubbed_ns.load(std::memory_order_relaxed), copy_burst_ns()))
        base::sleep_ns(ns);
    return scrubs_ns;
}

void note_freed(int64_t scrubs_ns) {
    if (scrubs_ns == 0) return;
    int64_t scrubbed_ns = g_scrubbed_ns.load(std::memory_order_relaxed);
    while (!g_scrubbed_ns.compare_exchange_weak(scrubbed_ns, std::max(base::now_ns(), scrubbed_ns) + scrubs_ns,
                                                std::memory_order_relaxed)) {
    }
}

}  // namespace xsched::stream
