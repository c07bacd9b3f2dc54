// The C functions of the program's memory (memory_abi.h).
#include "queue/abi/memory_abi.h"

#include <algorithm>

#include "queue/memory/joint_limit.h"
#include "queue/memory/memory_entries.h"
#include "queue/memory/memory_rules.h"

using namespace xsched;

void xq_memory_offer(XDevice device, const XqMemoryOps* ops) {
    queue::Memory* memory = queue::memory_of(device);
    if (memory != nullptr) memory->ops.store(ops, std::memory_order_release);
}

void xq_memory_holds(XDevice device, uint64_t on_card, uint64_t on_host) {
    queue::Memory* memory = queue::memory_of(device);
    if (memory == nullptr) return;
    if (on_card + on_host >
        memory->on_card.load(std::memory_order_relaxed) + memory->on_host.load(std::memory_order_relaxed))
        memory->prepared.store(false, std::memory_order_relaxed);
    memory->on_card.store(on_card, std::memory_order_relaxed);
    memory->on_host.store(on_host, std::memory_order_release);
    ipc::Header* header = queue::g_header.load(std::memory_order_acquire);
    if (header == nullptr) return;
    const bool first = header->memory_used.load(std::memory_order_relaxed) == 0;
    queue::take_part(*header, *memory);
    if (first) ipc::ring_doorbell(*header);
}

void xq_memory_fixed(XDevice device, uint64_t bytes) {
    queue::Memory* memory = device != 0 ? queue::memory_of(device) : nullptr;
    if (memory == nullptr) return;
    memory->fixed.store(bytes, std::memory_order_relaxed);
    ipc::Header* header = queue::g_header.load(std::memory_order_acquire);
    if (header == nullptr) return;
    queue::publish(*header, *memory);
}

XqMemoryRules xq_memory_rules() {
    const ipc::Header* header = queue::g_header.load(std::memory_order_acquire);
    const base::Hints hints = queue::memory_rules(header);
    auto limit = static_cast<uint64_t>(hints.memory_limit);
    auto guarantee = static_cast<uint64_t>(hints.memory_guarantee);
    if (header != nullptr) limit = ipc::least_limit(limit, header->memory_joint_limit.load(std::memory_order_relaxed));
    for (const queue::Memory& memory : queue::g_memory)
        if (header != nullptr) guarantee = std::max(guarantee, queue::words_of(*header, memory).joint_guarantee.load());
    return {.evictable = hints.evictable != 0, .limit = limit, .guarantee = guarantee};
}

bool xq_memory_count(XDevice device, uint64_t bytes) {
    queue::Memory* memory = device != 0 ? queue::memory_of(device) : nullptr;
    if (memory == nullptr) return true;
    return queue::count_memory(queue::entry_of(*memory), device, queue::g_header.load(std::memory_order_acquire),
                               bytes);
}

void xq_memory_uncount(XDevice device, uint64_t bytes) {
    queue::Memory* memory = device != 0 ? queue::memory_of(device) : nullptr;
    if (memory == nullptr) return;
    queue::uncount_memory(queue::entry_of(*memory), queue::g_header.load(std::memory_order_acquire), bytes);
}

uint64_t xq_memory_left(XDevice device) {
    queue::Memory* memory = device != 0 ? queue::memory_of(device) : nullptr;
    if (memory == nullptr) return UINT64_MAX;
    return queue::joint_memory_left(queue::entry_of(*memory), queue::g_header.load(std::memory_order_acquire));
}

bool xq_memory_ask(XDevice device, uint64_t missing) {
    queue::Memory* memory = queue::memory_of(device);
    return memory != nullptr && queue::ask_for_memory(*memory, missing);
}
