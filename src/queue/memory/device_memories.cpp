#include "queue/memory/device_memories.h"

#include <atomic>

#include "base/clock.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/options.h"
#include "base/time.h"
#include "queue/abi/memory_abi.h"

namespace xsched::queue {
namespace {

using ipc::DeviceMemory;

// A turn of two programs that do not fit side by side on the largest device of today lasts a minute (safety).
constexpr int64_t kLongestAskNs = 120 * base::kSecond;
// How often a thread looks for the answer, and for room while memory is on the host (measured: a gibibyte moves in 20
// ms).
constexpr int64_t kMemoryLookNs = 2 * base::kMillisecond;

struct Memory {
    std::atomic<uint64_t> device{0};
    std::atomic<const XqMemoryOps*> ops{nullptr};  // nullptr: nothing can be moved
    std::atomic<uint64_t> on_card{0};
    std::atomic<uint64_t> on_host{0};
    std::atomic<bool> prepared{false};
    uint32_t failed = 0;  // errands' thread
    base::Mutex asking;   // one thread asks at a time
};

constinit Memory g_memory[ipc::kMostDeviceNames];
constinit std::atomic<ipc::Header*> g_header{nullptr};

Memory* memory_of(uint64_t device) {
    for (Memory& memory : g_memory) {
        uint64_t owner = 0;
        if (memory.device.compare_exchange_strong(owner, device) || owner == device) return &memory;
    }
    return nullptr;
}

DeviceMemory& words_of(ipc::Header& header, const Memory& memory) { return header.memory[&memory - g_memory]; }

void publish(ipc::Header& header, const Memory& memory) {
    DeviceMemory& words = words_of(header, memory);
    words.on_card.store(memory.on_card.load(std::memory_order_relaxed), std::memory_order_relaxed);
    words.on_host.store(memory.on_host.load(std::memory_order_relaxed), std::memory_order_release);
    words.evictable.store(memory.ops.load(std::memory_order_relaxed) != nullptr ? 1 : 0, std::memory_order_relaxed);
    words.device.store(memory.device.load(std::memory_order_relaxed), std::memory_order_release);
    header.memory_priority.store(base::options().priority, std::memory_order_relaxed);
    header.memory_used.store(1, std::memory_order_release);
}

uint64_t ordered_away(const Memory& memory) {
    ipc::Header* header = g_header.load(std::memory_order_acquire);
    return header != nullptr ? words_of(*header, memory).away.load(std::memory_order_acquire) : 0;
}

bool has_order(const Memory& memory) {
    const uint64_t away = ordered_away(memory);
    const uint64_t on_host = memory.on_host.load(std::memory_order_relaxed);
    return away > on_host || (away == 0 && on_host > 0);
}

// Says on both sides of a move that it is under way, and how it ended.
class Move {
public:
    explicit Move(Memory& memory) : memory_(memory), header_(g_header.load(std::memory_order_acquire)) {
        if (header_ != nullptr) words_of(*header_, memory_).moving.store(1, std::memory_order_release);
    }
    void end(bool carried_out) {
        if (header_ == nullptr) return;
        DeviceMemory& words = words_of(*header_, memory_);
        if (!carried_out) words.failed.store(++memory_.failed, std::memory_order_release);
        words.moving.store(0, std::memory_order_release);
        ipc::ring_doorbell(*header_);
    }

private:
    Memory& memory_;
    ipc::Header* const header_;
};

void carry_out(Memory& memory, const XqMemoryOps& ops, XDevice device) {
    const uint64_t away = ordered_away(memory);
    const uint64_t on_host = memory.on_host.load(std::memory_order_relaxed);
    Move move(memory);
    if (away > on_host) {
        ops.give(device, away - on_host);
        move.end(memory.on_host.load(std::memory_order_relaxed) >= away);
    } else {
        ops.take_back(device);
        move.end(memory.on_host.load(std::memory_order_relaxed) == 0);
    }
}

// Returns when to look again, as run_memory_errands.
int64_t run_errand(Memory& memory) {
    const uint64_t device = memory.device.load(std::memory_order_acquire);
    const XqMemoryOps* ops = memory.ops.load(std::memory_order_acquire);
    if (device == 0 || ops == nullptr) return 0;
    if (has_order(memory)) carry_out(memory, *ops, device);
    if (memory.on_host.load(std::memory_order_relaxed) > 0) {
        ipc::Header* header = g_header.load(std::memory_order_acquire);
        if (header != nullptr) words_of(*header, memory).free.store(ops->free_bytes(device), std::memory_order_release);
        return kMemoryLookNs;
    }
    if (memory.prepared.load(std::memory_order_relaxed)) return 0;
    const int64_t began_ns = base::now_ns();
    if (ops->prepare(device)) return 3 * (base::now_ns() - began_ns) + 1;  // a quarter of a processor at most
    memory.prepared.store(true, std::memory_order_relaxed);
    return 0;
}

bool wait_for_answer(ipc::Header& header, const DeviceMemory& words, uint32_t number) {
    const int64_t until_ns = base::now_ns() + kLongestAskNs;
    while (words.answered.load(std::memory_order_acquire) != number) {
        if (base::now_ns() > until_ns || g_header.load(std::memory_order_acquire) != &header) return false;
        base::sleep_ns(kMemoryLookNs);
    }
    return words.answer.load(std::memory_order_relaxed) == static_cast<uint32_t>(ipc::MemoryAnswer::kTryAgain);
}

bool ask(Memory& memory, uint64_t missing) {
    base::Lock lock(memory.asking);
    ipc::Header* header = g_header.load(std::memory_order_acquire);
    if (header == nullptr || header->served.load(std::memory_order_acquire) == 0) return false;
    publish(*header, memory);
    DeviceMemory& words = words_of(*header, memory);
    const uint32_t number = words.asked.load(std::memory_order_relaxed) + 1;
    words.wanted.store(missing, std::memory_order_release);
    words.asked.store(number, std::memory_order_release);
    ipc::ring_doorbell(*header);
    const bool again = wait_for_answer(*header, words, number);
    words.wanted.store(0, std::memory_order_release);
    return again;
}

}  // namespace

void attach_memory(ipc::Header& header) {
    for (const Memory& memory : g_memory)
        if (memory.device.load(std::memory_order_acquire) != 0) publish(header, memory);
    g_header.store(&header, std::memory_order_release);
}

void forget_memory() {
    g_header.store(nullptr, std::memory_order_release);
    for (Memory& memory : g_memory) {
        memory.device.store(0, std::memory_order_relaxed);
        memory.ops.store(nullptr, std::memory_order_relaxed);
        memory.on_card.store(0, std::memory_order_relaxed);
        memory.on_host.store(0, std::memory_order_relaxed);
    }
}

bool has_memory_errand() {
    for (const Memory& memory : g_memory)
        if (memory.ops.load(std::memory_order_acquire) != nullptr &&
            (has_order(memory) || !memory.prepared.load(std::memory_order_relaxed)))
            return true;
    return false;
}

int64_t run_memory_errands() {
    int64_t look_ns = 0;
    for (Memory& memory : g_memory) look_ns = base::earlier(look_ns, run_errand(memory));
    return look_ns;
}

}  // namespace xsched::queue

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
    queue::publish(*header, *memory);
    if (first) ipc::ring_doorbell(*header);
}

bool xq_memory_ask(XDevice device, uint64_t missing) {
    queue::Memory* memory = queue::memory_of(device);
    return memory != nullptr && queue::ask(*memory, missing);
}
