#include "platform/stream/shim/memory/spare_memory.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "base/log.h"
#include "base/mutex.h"
#include "base/options.h"
#include "platform/stream/shim/capture.h"
#include "platform/stream/shim/streams.h"

namespace xsched::stream::memory {
namespace {

struct Allocation {
    Context context = nullptr;  // nullptr: none here
    Address memory = 0;
    uint64_t bytes = 0;
};

using Spares = std::array<Allocation, 16>;

constinit base::Mutex g_mutex;  // guards the next four
// The program's newest allocations that it has not freed. Only these can become spares; memory of another process,
// managed memory and memory of a pool is not among them.
constinit std::array<Allocation, 256> g_allocated{};
constinit size_t g_next_allocated = 0;
constinit Spares g_spares{};
constinit uint64_t g_kept_bytes = 0;
constinit std::atomic<uint32_t> g_count{0};  // so that a program without spares pays for one look
constinit std::atomic<bool> g_never{false};

// Returns whether this process has victims, and keeps the device from them through its pauses.
bool has_victims() {
    bool has = false;
    for_each_entry([&has](const StreamEntry& entry) {
        XqQueue* const queue = entry.xqueue.load(std::memory_order_acquire);
        has = has || (queue != nullptr && xq_keeps_device(queue));
    });
    return has;
}

bool all_is_complete() {
    bool complete = !some_captured() && !some_are_unscheduled();
    for_each_entry([&complete](const StreamEntry& entry) {
        XqQueue* const queue = entry.xqueue.load(std::memory_order_acquire);
        complete = complete && (queue == nullptr || xq_all_complete(queue));
    });
    return complete;
}

// g_mutex held.
void remember(const Allocation& allocation) {
    g_allocated[g_next_allocated] = allocation;
    g_next_allocated = (g_next_allocated + 1) % g_allocated.size();
}

// Takes the entry of memory that is about to be freed; 0 bytes: the program did not allocate it, or long ago.
Allocation take_allocated(Address memory) {
    base::Lock lock(g_mutex);
    Allocation* const found = std::find_if(g_allocated.begin(), g_allocated.end(),
                                           [memory](const Allocation& each) { return each.memory == memory; });
    return found != g_allocated.end() ? std::exchange(*found, Allocation{}) : Allocation{};
}

// Takes the spares of a context out of the list; nullptr: of all contexts.
Spares take_out(Context context) {
    Spares taken{};
    base::Lock lock(g_mutex);
    for (size_t i = 0; i < g_spares.size(); ++i) {
        if (g_spares[i].context == nullptr || (context != nullptr && g_spares[i].context != context)) continue;
        taken[i] = std::exchange(g_spares[i], Allocation{});
        g_kept_bytes -= taken[i].bytes;
        g_count.fetch_sub(1, std::memory_order_relaxed);
    }
    return taken;
}

// Handles memory that the program frees although we keep it as a spare, so for the second time: gives the spare back,
// so that the driver reports the error. Returns whether the memory was a spare.
bool freed_twice(Address memory) {
    if (g_count.load(std::memory_order_relaxed) == 0) return false;
    {
        base::Lock lock(g_mutex);
        Allocation* const spare = std::find_if(g_spares.begin(), g_spares.end(),
                                               [memory](const Allocation& each) { return each.memory == memory; });
        if (spare == g_spares.end()) return false;
        g_kept_bytes -= std::exchange(*spare, Allocation{}).bytes;
        g_count.fetch_sub(1, std::memory_order_relaxed);
    }
    const OwnCalls own(*hal_api());
    vendor_call<kMemFree>(memory);
    return true;
}

bool has_room(uint64_t bytes) {
    return kKeepsSpares && bytes != 0 && !g_never.load(std::memory_order_relaxed) &&
           bytes <= static_cast<uint64_t>(base::options().cuda_spare_memory);
}

}  // namespace

bool take_spare(Address* memory, size_t bytes) {
    if (g_count.load(std::memory_order_relaxed) == 0 || memory == nullptr) return false;
    if (some_captured()) return false;
    Context const context = current_context(*hal_api());
    if (context == nullptr) return false;
    base::Lock lock(g_mutex);
    for (Allocation& spare : g_spares) {
        if (spare.context != context || spare.bytes != bytes) continue;
        *memory = spare.memory;
        remember(std::exchange(spare, Allocation{}));
        g_kept_bytes -= bytes;
        g_count.fetch_sub(1, std::memory_order_relaxed);
        XLOG_DEBG("an allocation of %zu bytes gets memory that was kept", bytes);
        return true;
    }
    return false;
}

void note_allocated(Address memory, size_t bytes) {
    if (!has_room(bytes)) return;
    const Allocation allocation{current_context(*hal_api()), memory, bytes};
    base::Lock lock(g_mutex);
    if (allocation.context != nullptr) remember(allocation);
}

bool keep_spare(Address memory) {
    if (memory == 0 || freed_twice(memory)) return false;
    const Allocation freed = take_allocated(memory);
    if (!has_room(freed.bytes) || freed.context != current_context(*hal_api())) return false;
    if (!has_victims() || !all_is_complete()) return false;
    base::Lock lock(g_mutex);
    if (!has_room(g_kept_bytes + freed.bytes)) return false;
    Allocation* const place =
        std::find_if(g_spares.begin(), g_spares.end(), [](const Allocation& each) { return each.context == nullptr; });
    if (place == g_spares.end()) return false;
    *place = freed;
    g_kept_bytes += freed.bytes;
    g_count.fetch_add(1, std::memory_order_relaxed);
    XLOG_DEBG("%llu bytes that were freed are kept for the next allocation of that size",
              static_cast<unsigned long long>(freed.bytes));
    return true;
}

bool give_spares_back() {
    if (g_count.load(std::memory_order_relaxed) == 0) return false;
    bool some = false;
    const Spares taken = take_out(nullptr);
    const OwnCalls own(*hal_api());
    for (const Allocation& spare : taken) {
        if (spare.context == nullptr) continue;
        some = true;
        if (vendor_call<kMemFree>(spare.memory) != kSuccess)
            XLOG_DEBG("%llu bytes that were kept could not be freed", static_cast<unsigned long long>(spare.bytes));
    }
    return some;
}

void give_needless_spares_back() {
    if (g_count.load(std::memory_order_relaxed) != 0 && !has_victims() && all_is_complete()) give_spares_back();
}

uint64_t spare_bytes() {
    if (g_count.load(std::memory_order_relaxed) == 0) return 0;
    base::Lock lock(g_mutex);
    return g_kept_bytes;
}

void forget_spares(Context context) {
    if (context == nullptr) return;
    take_out(context);
    base::Lock lock(g_mutex);
    for (Allocation& each : g_allocated)
        if (each.context == context) each = Allocation{};
}

void keep_no_spares() { g_never.store(true, std::memory_order_relaxed); }

}  // namespace xsched::stream::memory
