#include "platform/cuda/shim/spare_memory.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <utility>

#include "base/log.h"
#include "base/mutex.h"
#include "base/options.h"
#include "platform/stream/shim/capture.h"
#include "platform/stream/shim/copies.h"
#include "platform/stream/shim/streams.h"

namespace xsched::cuda {
namespace {

struct Spare {
    CUcontext context = nullptr;  // nullptr: none here
    CUdeviceptr memory = 0;
    uint64_t bytes = 0;
};

using Spares = std::array<Spare, 16>;

constinit base::Mutex g_mutex;  // guards the next four
// What the program allocated last and has not freed: memory of others that it has imported looks the same.
constinit std::array<CUdeviceptr, 256> g_allocated{};
constinit size_t g_next_allocated = 0;
constinit Spares g_spares{};
constinit uint64_t g_kept_bytes = 0;
constinit std::atomic<uint32_t> g_count{0};  // so that whoever keeps none pays for one look
constinit std::atomic<bool> g_never{false};

// Whether this process has victims, and keeps the device from them through its pauses.
bool has_victims() {
    bool has = false;
    stream::for_each_entry([&has](const stream::StreamEntry& entry) {
        XqQueue* const queue = entry.xqueue.load(std::memory_order_acquire);
        has = has || (queue != nullptr && xq_keeps_device(queue));
    });
    return has;
}

bool all_is_complete() {
    bool complete = stream::g_captures.load(std::memory_order_relaxed) <= 0 && !stream::some_are_unscheduled();
    stream::for_each_entry([&complete](const stream::StreamEntry& entry) {
        XqQueue* const queue = entry.xqueue.load(std::memory_order_acquire);
        complete = complete && (queue == nullptr || xq_all_complete(queue));
    });
    return complete;
}

// Memory of the usual kind: neither another context's, nor a pool's, which goes back to that, nor such as makes its
// copies wait.
bool is_usual(CUdeviceptr memory, CUcontext in) {
    const auto ask = stream::driver<stream::kAskMemory>();
    if (ask == nullptr) return false;
    CUcontext context = nullptr;
    uint64_t pool = 0;
    uint64_t copies_wait = 0;
    int wanted[] = {CU_POINTER_ATTRIBUTE_CONTEXT, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
                    CU_POINTER_ATTRIBUTE_SYNC_MEMOPS};
    void* answers[] = {&context, &pool, &copies_wait};
    const stream::OwnCalls own(*stream::hal_api());
    return ask(std::size(wanted), wanted, answers, memory) == CUDA_SUCCESS && context == in && pool == 0 &&
           (copies_wait & 1) == 0;
}

// Of the whole allocation that begins there; 0: it is none that can be kept.
uint64_t bytes_of(CUdeviceptr memory, CUcontext context) {
    const stream::Memory known = stream::memory_at(memory);
    const bool whole = known.place == stream::Memory::Place::kDevice && known.begin == memory;
    return whole && is_usual(memory, context) ? known.bytes : 0;
}

// Whether the program allocated it. It is about to be freed.
bool was_allocated(CUdeviceptr memory) {
    base::Lock lock(g_mutex);
    const auto found = std::find(g_allocated.begin(), g_allocated.end(), memory);
    if (found == g_allocated.end()) return false;
    *found = 0;
    return true;
}

// Takes those of a context (nullptr: all) out.
Spares take_out(CUcontext context) {
    Spares taken{};
    base::Lock lock(g_mutex);
    for (size_t i = 0; i < g_spares.size(); ++i) {
        if (g_spares[i].context == nullptr || (context != nullptr && g_spares[i].context != context)) continue;
        taken[i] = std::exchange(g_spares[i], Spare{});
        g_kept_bytes -= taken[i].bytes;
        g_count.fetch_sub(1, std::memory_order_relaxed);
    }
    return taken;
}

// So that the driver says what is wrong: the spare goes, and is freed once.
bool freed_twice(CUdeviceptr memory) {
    if (g_count.load(std::memory_order_relaxed) == 0) return false;
    {
        base::Lock lock(g_mutex);
        Spare* const spare = std::find_if(g_spares.begin(), g_spares.end(),
                                          [memory](const Spare& each) { return each.memory == memory; });
        if (spare == g_spares.end()) return false;
        g_kept_bytes -= std::exchange(*spare, Spare{}).bytes;
        g_count.fetch_sub(1, std::memory_order_relaxed);
    }
    const stream::OwnCalls own(*stream::hal_api());
    stream::driver<stream::kEntry_cuMemFree_v2>()(memory);
    return true;
}

bool has_room(uint64_t bytes) {
    return bytes != 0 && !g_never.load(std::memory_order_relaxed) &&
           bytes <= static_cast<uint64_t>(base::options().cuda_spare_memory);
}

}  // namespace

bool take_spare(CUdeviceptr* memory, size_t bytes) {
    if (g_count.load(std::memory_order_relaxed) == 0 || memory == nullptr) return false;
    if (stream::g_captures.load(std::memory_order_relaxed) > 0) return false;
    CUcontext const context = stream::current_context(*stream::hal_api());
    if (context == nullptr) return false;
    base::Lock lock(g_mutex);
    for (Spare& spare : g_spares) {
        if (spare.context != context || spare.bytes != bytes) continue;
        *memory = std::exchange(spare, Spare{}).memory;
        g_allocated[g_next_allocated] = *memory;
        g_next_allocated = (g_next_allocated + 1) % g_allocated.size();
        g_kept_bytes -= bytes;
        g_count.fetch_sub(1, std::memory_order_relaxed);
        XLOG_DEBG("an allocation of %zu bytes gets memory that was kept", bytes);
        return true;
    }
    return false;
}

void note_allocated(CUdeviceptr memory, size_t bytes) {
    if (!has_room(bytes)) return;
    base::Lock lock(g_mutex);
    g_allocated[g_next_allocated] = memory;
    g_next_allocated = (g_next_allocated + 1) % g_allocated.size();
}

bool keep_spare(CUdeviceptr memory) {
    if (memory == 0 || freed_twice(memory) || !was_allocated(memory)) return false;
    if (!has_room(1) || !has_victims() || !all_is_complete()) return false;
    CUcontext const context = stream::current_context(*stream::hal_api());
    const uint64_t bytes = context != nullptr ? bytes_of(memory, context) : 0;
    if (!has_room(bytes)) return false;
    base::Lock lock(g_mutex);
    if (!has_room(g_kept_bytes + bytes)) return false;
    Spare* const place =
        std::find_if(g_spares.begin(), g_spares.end(), [](const Spare& spare) { return spare.context == nullptr; });
    if (place == g_spares.end()) return false;
    *place = {context, memory, bytes};
    g_kept_bytes += bytes;
    g_count.fetch_add(1, std::memory_order_relaxed);
    XLOG_DEBG("%llu bytes that were freed are kept for the next allocation of that size",
              static_cast<unsigned long long>(bytes));
    return true;
}

bool give_spares_back() {
    if (g_count.load(std::memory_order_relaxed) == 0) return false;
    bool some = false;
    const Spares taken = take_out(nullptr);
    const stream::OwnCalls own(*stream::hal_api());
    for (const Spare& spare : taken) {
        if (spare.context == nullptr) continue;
        some = true;
        if (stream::driver<stream::kEntry_cuMemFree_v2>()(spare.memory) != CUDA_SUCCESS)
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

void forget_spares(CUcontext context) {
    if (context != nullptr && g_count.load(std::memory_order_relaxed) != 0) take_out(context);
}

void keep_no_spares() { g_never.store(true, std::memory_order_relaxed); }

}  // namespace xsched::cuda
