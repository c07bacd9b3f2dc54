#include "queue/memory/memory_entries.h"

#include "base/options.h"
#include "queue/memory/joint_limit.h"
#include "queue/memory/memory_rules.h"

namespace xsched::queue {

using ipc::DeviceMemory;

constinit Memory g_memory[ipc::kMostDeviceNames];
constinit std::atomic<ipc::Header*> g_header{nullptr};
constinit std::atomic<int64_t> g_attached_ns{0};

Memory* memory_of(uint64_t device) {
    for (Memory& memory : g_memory) {
        uint64_t owner = 0;
        if (memory.device.compare_exchange_strong(owner, device) || owner == device) return &memory;
    }
    return nullptr;
}

bool publish_rules(DeviceMemory& words, bool movable) {
    const base::Hints hints = memory_rules(g_header.load(std::memory_order_acquire));
    const auto tell = [](auto& word, auto value) { return word.exchange(value, std::memory_order_relaxed) != value; };
    const bool other = tell(words.evictable, movable && hints.evictable != 0 ? 1U : 0U);
    const bool more = tell(words.limit, static_cast<uint64_t>(hints.memory_limit));
    return tell(words.guarantee, static_cast<uint64_t>(hints.memory_guarantee)) || other || more;
}

void publish(ipc::Header& header, const Memory& memory) {
    DeviceMemory& words = words_of(header, memory);
    words.on_card.store(memory.on_card.load(std::memory_order_relaxed), std::memory_order_relaxed);
    words.on_host.store(memory.on_host.load(std::memory_order_relaxed), std::memory_order_release);
    words.fixed.store(memory.fixed.load(std::memory_order_relaxed), std::memory_order_relaxed);
    words.waited_ns.store(memory.waited_ns.load(std::memory_order_relaxed), std::memory_order_relaxed);
    publish_rules(words, memory.ops.load(std::memory_order_relaxed) != nullptr);
    words.yields.store(memory.yields.load(std::memory_order_relaxed) ? 1 : 0, std::memory_order_relaxed);
    publish_counted(entry_of(memory), header);
    words.device.store(memory.device.load(std::memory_order_relaxed), std::memory_order_release);
}

void take_part(ipc::Header& header, const Memory& memory) {
    publish(header, memory);
    header.memory_priority.store(base::options().priority, std::memory_order_relaxed);
    header.memory_used.store(1, std::memory_order_release);
}

}  // namespace xsched::queue
