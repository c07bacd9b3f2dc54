// The blocks of memory in stream order (pool_memory.h): which there are, and which of them the program has freed and
// the pool keeps. Any thread. Calls no driver.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "base/mutex.h"
#include "platform/stream/shim/memory/memory_pieces.h"
#include "platform/stream/shim/stream_entry.h"

namespace xsched::stream::memory {

// Names a stream that may have ended. If another stream has got the same handle, its name has another serial number.
struct StreamName {
    const StreamEntry* entry = nullptr;  // nullptr: it is not known
    uint32_t serial = 0;
    bool operator==(const StreamName&) const = default;
};
inline StreamName stream_name(const StreamEntry* entry) {
    if (entry == nullptr) return {};
    return {entry, entry->serial.load(std::memory_order_acquire)};
}

struct Block {
    Block* next = nullptr;       // in its bucket
    Block* next_kept = nullptr;
    PieceRange* range = nullptr;
    size_t size = 0;
    size_t bytes = 0;  // that the program has asked for
    bool used = false;  // by the program
    Event freed = nullptr;  // what the device must have reached before the memory is used again; nullptr: nothing
    Context freed_in = nullptr;  // the event's context
    StreamName stream{};      // in which it was freed
    int64_t kept_since_ns = 0;
};

// The driver's pool that the blocks stand for.
struct BlockPool {
    std::atomic<Pool> driver{nullptr};  // nullptr: no block has been asked for
    std::atomic<bool> open_to_others{false};
    std::atomic<uint64_t> reserved{0}, most_reserved{0};  // bytes of all blocks
    std::atomic<uint64_t> used{0}, most_used{0};          // bytes that the program has
    std::atomic<uint64_t> threshold{0};                   // bytes that the pool keeps
};
extern BlockPool g_blocks;

// Destroys an event of ours, if there is one.
void end_event(Event event);
// Adds a new block, which is taken: neither used nor kept.
void put_block(Block& block);
// Removes a block from the table. It must be neither used nor kept.
void forget_block(Block& block);
// Gives a taken block to the program. Returns its address.
Address use_block(Block& block, size_t bytes);
// Takes the block at this address from the program. nullptr: it has none there; `code` is then an error if the block
// there is free already.
Block* stop_using(Address memory, Result* code);
// Makes a taken block a kept one.
void keep_block(Block& block);

// The kept blocks, oldest first, and the mutex that guards them and the table.
extern base::Mutex g_blocks_mutex;
extern Block* g_kept;
extern Block** g_kept_end;
// Takes the oldest kept block that `is_it` accepts; nullptr: there is none.
template <typename IsIt>
Block* take_kept(IsIt is_it) {
    base::Lock lock(g_blocks_mutex);
    for (Block** at = &g_kept; *at != nullptr; at = &(*at)->next_kept) {
        Block* const found = *at;
        if (!is_it(*found)) continue;
        *at = found->next_kept;
        if (g_kept_end == &found->next_kept) g_kept_end = at;
        return found;
    }
    return nullptr;
}

// Ends a block whose memory is about to be given back in another way (cuMemFree). Returns false if the program has
// freed it already.
bool end_block(Address memory);
// Forgets the blocks of a context that the driver destroys. Their memory goes as other memory of the context does.
void forget_blocks(Context context);
// Forgets all blocks. Call in a forked child, which has no device.
void forget_all_blocks();

}  // namespace xsched::stream::memory
