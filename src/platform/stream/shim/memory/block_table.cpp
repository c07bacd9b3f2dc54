#include "platform/stream/shim/memory/block_table.h"

#include <cstring>
#include <utility>

#include "platform/stream/shim/events.h"

namespace xsched::stream::memory {
namespace {

constexpr size_t kBlockBuckets = 1024;  // programs have some thousands of tensors of 2 MiB and more (safety)
constinit Block* g_block_buckets[kBlockBuckets] = {};  // g_blocks_mutex guards it

Block*& bucket_of(Address memory) { return g_block_buckets[memory / kGranularity % kBlockBuckets]; }

void raise(std::atomic<uint64_t>& most, uint64_t now) {
    for (uint64_t before = most.load(); before < now && !most.compare_exchange_weak(before, now);) {
    }
}

// Takes a block that `is_it` accepts out of the table. nullptr: there is none. g_blocks_mutex held.
template <typename IsIt>
Block* take_from_table(IsIt is_it) {
    for (Block*& bucket : g_block_buckets)
        for (Block** at = &bucket; *at != nullptr; at = &(*at)->next)
            if (is_it(**at)) return std::exchange(*at, (*at)->next);
    return nullptr;
}

}  // namespace

constinit BlockPool g_blocks;
constinit base::Mutex g_blocks_mutex;
constinit Block* g_kept = nullptr;
constinit Block** g_kept_end = &g_kept;

void end_event(Event event) {
    if (event == nullptr) return;
    forget_event(event);
    event_destroy(*hal_api(), event);
}

void put_block(Block& block) {
    base::Lock lock(g_blocks_mutex);
    block.next = std::exchange(bucket_of(block.range->begin), &block);
    raise(g_blocks.most_reserved, g_blocks.reserved += block.size);
}

void forget_block(Block& block) {
    base::Lock lock(g_blocks_mutex);
    Block** at = &bucket_of(block.range->begin);
    while (*at != &block) at = &(*at)->next;
    *at = block.next;
    g_blocks.reserved -= block.size;
}

Address use_block(Block& block, size_t bytes) {
    base::Lock lock(g_blocks_mutex);
    block.used = true;
    block.bytes = bytes;
    raise(g_blocks.most_used, g_blocks.used += bytes);
    return block.range->begin;
}

Block* stop_using(Address memory, Result* code) {
    base::Lock lock(g_blocks_mutex);
    Block* it = bucket_of(memory);
    while (it != nullptr && it->range->begin != memory) it = it->next;
    *code = it != nullptr && !it->used ? kInvalidValue : kSuccess;
    if (it == nullptr || !std::exchange(it->used, false)) return nullptr;
    g_blocks.used -= it->bytes;
    return it;
}

bool end_block(Address memory) {
    Result code = kSuccess;
    Block* const block = stop_using(memory, &code);
    if (block == nullptr) return code == kSuccess;
    forget_block(*block);
    end_event(block->freed);
    std::free(block);
    return true;
}

void forget_blocks(Context context) {
    const auto is_of_context = [context](const Block& it) { return it.range->context == context; };
    while (take_kept(is_of_context) != nullptr) {
    }
    base::Lock lock(g_blocks_mutex);
    while (Block* const block = take_from_table(is_of_context)) {
        g_blocks.reserved -= block->size;
        if (block->used) g_blocks.used -= block->bytes;
        std::free(block);
    }
}

void forget_all_blocks() {
    std::memset(g_block_buckets, 0, sizeof g_block_buckets);
    g_kept = nullptr;
    g_kept_end = &g_kept;
    for (std::atomic<uint64_t>* sum :
         {&g_blocks.reserved, &g_blocks.most_reserved, &g_blocks.used, &g_blocks.most_used})
        sum->store(0, std::memory_order_relaxed);
    g_blocks.driver.store(nullptr, std::memory_order_relaxed);
    g_blocks.open_to_others.store(false, std::memory_order_relaxed);
}

void keep_block(Block& block) {
    base::Lock lock(g_blocks_mutex);
    block.next_kept = nullptr;
    *std::exchange(g_kept_end, &block.next_kept) = &block;
}

}  // namespace xsched::stream::memory
