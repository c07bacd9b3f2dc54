#include "platform/stream/shim/memory/pool_memory.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/time.h"
#include "platform/stream/shim/keep_errno.h"
#include "platform/stream/shim/memory/block_table.h"
#include "platform/stream/shim/memory/evictable.h"
#include "platform/stream/shim/memory/program_memory.h"
#include "platform/stream/shim/ordered.h"

namespace xsched::stream::memory {
namespace {

// cuda.h's CUmemPool_attribute.
constexpr int kReleaseThreshold = 4, kReservedNow = 5, kReservedHigh = 6, kUsedNow = 7, kUsedHigh = 8;
constexpr int kMostPoolDevices = 64;  // (safety)
// How long a block is kept although more than the release threshold is reserved. The driver's pools keep memory until
// the program's next wait, and few programs go on for longer without one (safety).
constexpr int64_t kKeptNs = 100 * base::kMillisecond;

// Returns the size of a block: eight steps to each power of two, so that an eighth is wasted at most.
size_t size_of_block(size_t bytes) {
    const size_t step = std::max(kGranularity, std::bit_floor(bytes) / 8);
    return (bytes + step - 1) / step * step;
}

Pool default_pool(Device device) {
    const auto ask = driver<kDeviceGetDefaultMemPool>();
    Pool pool = nullptr;
    return ask != nullptr && ask(&pool, device) == kSuccess ? pool : nullptr;
}

// Returns whether another device may use the pool's memory.
bool is_open_to_others(Pool pool, Device device) {
    int devices = 0;
    if (vendor_call<kDeviceGetCount>(&devices) != kSuccess) return true;
    for (Device other = 0; other < std::min(devices, kMostPoolDevices); ++other) {
        MemoryLocation location{kOnDevice, other};
        int flags = 0;
        if (other != device && vendor_call<kMemPoolGetAccess>(&flags, pool, &location) == kSuccess && flags != 0)
            return true;
    }
    return false;
}

// Begins to stand for the device's default pool. Returns false if the program allocates from another one, or others use
// that pool's memory. `wanted`: the pool of the call; nullptr: the device's current one.
bool stands_for_pool(Pool wanted, Device device) {
    if (g_blocks.open_to_others.load(std::memory_order_relaxed)) return false;
    Pool const pool = default_pool(device);
    if (pool == nullptr) return false;
    if (wanted == nullptr && vendor_call<kDeviceGetMemPool>(&wanted, device) != kSuccess) return false;
    if (wanted != pool) return false;
    Pool known = g_blocks.driver.load(std::memory_order_acquire);
    if (known != nullptr) return known == pool;
    if (is_open_to_others(pool, device)) {
        g_blocks.open_to_others.store(true, std::memory_order_relaxed);
        return false;
    }
    uint64_t threshold = 0;
    vendor_call<kMemPoolGetAttribute>(pool, kReleaseThreshold, &threshold);
    g_blocks.threshold.store(threshold, std::memory_order_relaxed);
    return g_blocks.driver.compare_exchange_strong(known, pool) || known == pool;
}

Result record(Event event, NamedStream to) {
    return to.per_thread ? event_record<kEventRecordPerThread>(event, to.stream)
                         : event_record<kEventRecord>(event, to.stream);
}

Result wait_in_stream(NamedStream waiter, Event event) {
    return waiter.per_thread ? stream_wait_event<kStreamWaitEventPerThread>(waiter.stream, event, 0)
                             : stream_wait_event<kStreamWaitEvent>(waiter.stream, event, 0);
}

// Records the free of a block. An event of another context cannot be recorded here, so a new one takes its place.
Result record_free(Block& block, NamedStream to) {
    const Api& api = *hal_api();
    Context const context = current_context(api);
    if (block.freed_in != context) end_event(std::exchange(block.freed, nullptr));
    if (block.freed == nullptr && event_create(api, &block.freed) != kSuccess) {
        block.freed = nullptr;
        return kOutOfMemory;
    }
    block.freed_in = context;
    return record(block.freed, to);
}

bool is_reached(const Block& block) { return vendor_call<kEventQuery>(block.freed) == kSuccess; }

// Gives the memory of a block back that nothing uses.
void destroy_block(Block* block) {
    end_event(block->freed);
    give_back_unused(block->range->begin);
    std::free(block);
    tell_of_memory();
}

// Gives kept blocks back that the device has reached, and that were freed before a time, as long as more than `most`
// bytes are reserved. Returns whether there were any.
// While a stream is captured there are none: the driver refuses questions about events then, and they spoil the
// capture.
bool give_back_kept(size_t most, int64_t before_ns) {
    if (some_captured()) return false;
    bool some = false;
    Block* busy = nullptr;
    while (g_blocks.reserved.load(std::memory_order_relaxed) > most) {
        Block* const block = take_kept([before_ns](const Block& it) { return it.kept_since_ns <= before_ns; });
        if (block == nullptr) break;
        if (is_reached(*block)) {
            forget_block(*block);
            destroy_block(block);
            some = true;
        } else {
            block->next_kept = std::exchange(busy, block);
        }
    }
    while (busy != nullptr) keep_block(*std::exchange(busy, busy->next_kept));
    return some;
}

void give_back_beyond_threshold() {
    const uint64_t threshold = g_blocks.threshold.load(std::memory_order_relaxed);
    if (g_blocks.reserved.load(std::memory_order_relaxed) > threshold)
        give_back_kept(threshold, base::now_ns() - kKeptNs);
}

// Takes a kept block of this size that the stream may use now; nullptr: there is none.
Block* reuse(size_t size, Context context, const StreamName& name) {
    const auto fits = [&](const Block& it) { return it.size == size && it.range->context == context; };
    if (name.entry != nullptr)
        if (Block* const block = take_kept([&](const Block& it) { return fits(it) && it.stream == name; }))
            return block;
    Block* const block = take_kept(fits);
    if (block == nullptr || is_reached(*block)) return block;
    keep_block(*block);
    return nullptr;
}

// Takes a kept block of this size, and makes the stream wait for the free. nullptr: there is none.
Block* reuse_behind(size_t size, Context context, NamedStream waiter) {
    Block* const block = take_kept([&](const Block& it) { return it.size == size && it.range->context == context; });
    if (block == nullptr || wait_in_stream(waiter, block->freed) == kSuccess) return block;
    keep_block(*block);
    return nullptr;
}

Block* new_block(PieceRange* range, size_t size) {
    void* const memory = std::malloc(sizeof(Block));
    return memory != nullptr ? new (memory) Block{.range = range, .size = size} : nullptr;
}

// Makes a block of new memory, for which kept blocks are given back, and others are asked.
Block* make_block(size_t size, Context context, NamedStream to, Result* code) {
    const Device device = device_of(*hal_api(), context);
    for (int i = 0; i < kMostTries; ++i) {
        DeviceUse use;
        PieceRange* const range = make_range(context, device, size, code);
        Block* const block = range != nullptr ? new_block(range, size) : nullptr;
        if (block != nullptr) {
            put_in(range);
            put_block(*block);
        } else if (range != nullptr) {
            destroy_range(range);
        }
        use.leave();
        if (block != nullptr || *code != kOutOfMemory) return block;
        if (give_back_kept(0, INT64_MAX)) continue;
        if (Block* const behind = reuse_behind(size, context, to)) return behind;
        if (!ask_for_memory(size, i)) break;
    }
    return nullptr;
}

}  // namespace

bool allocate_block(Address* memory, size_t bytes, Pool pool, NamedStream to, Result* code) {
    if (memory == nullptr || !may_move_new_memory(bytes)) return false;
    const KeepErrno keep;
    const Api& api = *hal_api();
    Context const context = current_context(api);
    const StreamEntry* const entry = entry_of(to.stream, to.per_thread);
    if (entry == nullptr || entry->context.load(std::memory_order_acquire) != context || some_captured()) return false;
    if (!moves_on_device_of(context) || !stands_for_pool(pool, device_of(api, context))) return false;
    const size_t size = size_of_block(bytes);
    Block* block = reuse(size, context, stream_name(entry));
    if (block == nullptr) block = make_block(size, context, to, code);
    if (block == nullptr) return *code == kOutOfMemory;
    *memory = use_block(*block, bytes);
    set_asked_bytes(*block->range, bytes);
    *code = kSuccess;
    give_back_beyond_threshold();
    tell_of_memory();
    return true;
}

bool release_block(Address memory, NamedStream to, Result* code) {
    const KeepErrno keep;
    Block* const block = stop_using(memory, code);
    if (block == nullptr) return *code != kSuccess;
    *code = record_free(*block, to);
    if (*code != kSuccess) {
        use_block(*block, block->bytes);
        return true;
    }
    block->stream = stream_name(known_entry_of(to.stream, to.per_thread));
    block->kept_since_ns = base::now_ns();
    keep_block(*block);
    give_back_beyond_threshold();
    return true;
}

bool is_pool_of_blocks(Pool pool) { return pool != nullptr && g_blocks.driver.load(std::memory_order_acquire) == pool; }

void add_blocks(int attribute, void* value) {
    const std::atomic<uint64_t>* const more = attribute == kReservedNow    ? &g_blocks.reserved
                                              : attribute == kReservedHigh ? &g_blocks.most_reserved
                                              : attribute == kUsedNow      ? &g_blocks.used
                                              : attribute == kUsedHigh     ? &g_blocks.most_used
                                                                           : nullptr;
    uint64_t sum = 0;
    if (more == nullptr || value == nullptr) return;
    std::memcpy(&sum, value, sizeof sum);
    sum += more->load(std::memory_order_relaxed);
    std::memcpy(value, &sum, sizeof sum);
}

void note_pool_attribute(int attribute, const void* value) {
    if (attribute == kReleaseThreshold) {
        uint64_t threshold = 0;
        std::memcpy(&threshold, value, sizeof threshold);
        g_blocks.threshold.store(threshold, std::memory_order_relaxed);
    }
    if (attribute == kReservedHigh) g_blocks.most_reserved.store(g_blocks.reserved.load());
    if (attribute == kUsedHigh) g_blocks.most_used.store(g_blocks.used.load());
}

void trim_blocks(size_t keep) {
    const KeepErrno keep_errno;
    give_back_kept(keep, INT64_MAX);
}

void note_pool_access(const void* access, size_t count) {
    const KeepErrno keep;
    Context const context = current_context(*hal_api());
    const Device own = device_of(*hal_api(), context);
    const auto* const opened = static_cast<const MemoryAccess*>(access);
    for (size_t i = 0; i < count; ++i) {
        if (opened[i].flags == 0 || (opened[i].location.type == kOnDevice && opened[i].location.id == own)) continue;
        g_blocks.open_to_others.store(true, std::memory_order_relaxed);
        DeviceUse use;  // all of it is on the card
        keep_memory_in_place("another device may use memory of its pool");
        if (opened[i].location.type == kOnDevice) open_ranges_to(context, opened[i].location.id);
        use.leave();
    }
}

}  // namespace xsched::stream::memory
