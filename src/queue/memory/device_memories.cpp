#include "queue/memory/device_memories.h"

#include <atomic>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/options.h"
#include "base/time.h"
#include "queue/memory/joint_limit.h"
#include "queue/memory/memory_entries.h"
#include "queue/memory/memory_rules.h"

namespace xsched::queue {
namespace {

using ipc::DeviceMemory;

// Longest wait for the scheduler's answer to a request for memory. If two programs that do not fit together on the
// largest device of today take turns, a turn lasts a minute (safety).
constexpr int64_t kLongestAskNs = 120 * base::kSecond;
// How often a thread looks for the answer, and for room while memory is on the host (measured: a gibibyte moves in 20
// ms).
constexpr int64_t kMemoryLookNs = 2 * base::kMillisecond;

uint64_t ordered_away(const Memory& memory) {
    ipc::Header* header = g_header.load(std::memory_order_acquire);
    return header != nullptr ? words_of(*header, memory).away.load(std::memory_order_acquire) : 0;
}

bool has_order(const Memory& memory) {
    const uint64_t away = ordered_away(memory);
    const uint64_t on_host = memory.on_host.load(std::memory_order_relaxed);
    if (away == ipc::kAllMemory) return memory.on_card.load(std::memory_order_relaxed) > 0;
    return away > on_host || (away == 0 && (on_host > 0 || memory.off.load(std::memory_order_relaxed)));
}

// Publishes that a move of memory is under way while the object lives, and afterwards how it ended.
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

// Counts a move, of which `before` bytes were on the host when it began, and how long the program's threads waited.
void note_swap(Memory& memory, uint64_t before, int64_t began_ns) {
    const uint64_t on_host = memory.on_host.load(std::memory_order_relaxed);
    if (on_host > before) ++memory.swaps;
    if (memory.away_since_ns == 0) memory.away_since_ns = began_ns;
    if (on_host == 0) memory.waited_ns += base::now_ns() - std::exchange(memory.away_since_ns, 0);
    ipc::Header* header = g_header.load(std::memory_order_acquire);
    if (header == nullptr) return;
    DeviceMemory& words = words_of(*header, memory);
    words.swaps.store(memory.swaps, std::memory_order_relaxed);
    words.waited_ns.store(memory.waited_ns.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

void carry_out(Memory& memory, const XqMemoryOps& ops, XDevice device) {
    const uint64_t away = ordered_away(memory);
    const uint64_t on_host = memory.on_host.load(std::memory_order_relaxed);
    const int64_t now_ns = base::now_ns();
    Move move(memory);
    if (away != 0) memory.off.store(true, std::memory_order_relaxed);
    if (away == ipc::kAllMemory) {
        ops.give(device, XQ_ALL_MEMORY);
        note_swap(memory, on_host, now_ns);
        move.end(memory.on_card.load(std::memory_order_relaxed) == 0);
    } else if (away > on_host) {
        ops.give(device, away - on_host);
        note_swap(memory, on_host, now_ns);
        move.end(memory.on_host.load(std::memory_order_relaxed) >= away);
    } else {
        ops.take_back(device);
        note_swap(memory, on_host, now_ns);
        const bool back = memory.on_host.load(std::memory_order_relaxed) == 0;
        memory.off.store(!back, std::memory_order_relaxed);
        move.end(back);
    }
}

// Lets the memory come back if the scheduler that has sent it away has gone, and has had no successor for 2 s.
// Measured: a successor comes within 0.3 s (cuda_restart).
void forget_order_of_the_past(Memory& memory) {
    ipc::Header* header = g_header.load(std::memory_order_acquire);
    if (header == nullptr || header->served.load(std::memory_order_acquire) != 0) return;
    if (base::now_ns() - g_attached_ns.load(std::memory_order_relaxed) < 2 * base::kSecond) return;
    words_of(*header, memory).away.store(0, std::memory_order_release);
}

// Returns when to look again, as run_memory_errands.
int64_t run_errand(Memory& memory) {
    const uint64_t device = memory.device.load(std::memory_order_acquire);
    const XqMemoryOps* ops = memory.ops.load(std::memory_order_acquire);
    if (device == 0) return 0;
    if (ops == nullptr) return 0;
    forget_order_of_the_past(memory);
    if (has_order(memory)) carry_out(memory, *ops, device);
    if (memory.on_host.load(std::memory_order_relaxed) > 0) {
        if (ordered_away(memory) == ipc::kAllMemory) return 50 * kMemoryLookNs;  // an order rings
        ipc::Header* header = g_header.load(std::memory_order_acquire);
        if (header != nullptr) words_of(*header, memory).free.store(ops->free_bytes(device), std::memory_order_release);
        return kMemoryLookNs;
    }
    // Nothing of this device's memory may be left to move: the program may have freed all of it.
    if (memory.off.load(std::memory_order_relaxed)) return kMemoryLookNs;
    if (memory.prepared.load(std::memory_order_relaxed)) return 0;
    const int64_t began_ns = base::now_ns();
    if (ops->prepare(device)) return 3 * (base::now_ns() - began_ns) + 1;  // a quarter of a processor at most
    memory.prepared.store(true, std::memory_order_relaxed);
    return 0;
}

// Returns the memory that a server reads; nullptr: none does. A program whose first call allocates asks before the
// server has welcomed it, so the first request waits for that, for at most a second (safety).
ipc::Header* served_header() {
    static constinit std::atomic<bool> waited{false};
    const int64_t until_ns = base::now_ns() + base::kSecond;
    for (;;) {
        ipc::Header* header = g_header.load(std::memory_order_acquire);
        if (header == nullptr || header->served.load(std::memory_order_acquire) != 0) return header;
        if (waited || base::options().scheduler_type != kSchedulerGlobal || base::now_ns() > until_ns) break;
        base::sleep_ns(kMemoryLookNs);
    }
    waited = true;
    return nullptr;
}

bool wait_for_answer(ipc::Header& header, const DeviceMemory& words, uint32_t number) {
    const int64_t until_ns = base::now_ns() + kLongestAskNs;
    while (words.answered.load(std::memory_order_acquire) != number) {
        if (base::now_ns() > until_ns || g_header.load(std::memory_order_acquire) != &header) return false;
        base::sleep_ns(kMemoryLookNs);
    }
    return words.answer.load(std::memory_order_relaxed) == static_cast<uint32_t>(ipc::MemoryAnswer::kTryAgain);
}

// Writes to all devices' words whether the process does without its memory.
void say_yields(ipc::Header& header, bool yields) {
    for (Memory& memory : g_memory) {
        if (memory.ops.load(std::memory_order_acquire) == nullptr) continue;
        memory.yields.store(yields, std::memory_order_release);
        words_of(header, memory).yields.store(yields ? 1 : 0, std::memory_order_release);
    }
    ipc::ring_doorbell(header);
}

// Returns the bytes of all devices that are on the card, or on the host.
uint64_t sum_of(std::atomic<uint64_t> Memory::* part) {
    uint64_t sum = 0;
    for (const Memory& memory : g_memory)
        if (memory.ops.load(std::memory_order_acquire) != nullptr)
            sum += (memory.*part).load(std::memory_order_acquire);
    return sum;
}

// Copies the order of the scheduler before into the new scheduler's memory, so that memory that was sent away stays
// away, and the limits that it knew.
void carry_over(ipc::Header& header, const Memory& memory) {
    const ipc::Header* before = g_header.load(std::memory_order_acquire);
    if (before == nullptr || before == &header) return;
    carry_joint_limit(entry_of(memory), *before, header);
    const bool is_away = memory.on_host.load(std::memory_order_acquire) != 0;
    words_of(header, memory).away.store(is_away ? words_of(*before, memory).away.load() : 0);
}

}  // namespace

bool ask_for_memory(Memory& memory, uint64_t missing) {
    base::Lock lock(memory.asking);
    ipc::Header* header = served_header();
    if (header == nullptr) return false;
    take_part(*header, memory);
    DeviceMemory& words = words_of(*header, memory);
    const uint32_t number = words.asked.load(std::memory_order_relaxed) + 1;
    words.wanted.store(missing, std::memory_order_release);
    words.asked.store(number, std::memory_order_release);
    ipc::ring_doorbell(*header);
    const int64_t began_ns = base::now_ns();
    const bool again = wait_for_answer(*header, words, number);
    memory.waited_ns += base::now_ns() - began_ns;
    words.waited_ns.store(memory.waited_ns.load(std::memory_order_relaxed), std::memory_order_relaxed);
    words.wanted.store(0, std::memory_order_release);
    return again;
}

void attach_memory(ipc::Header& header) {
    g_attached_ns.store(base::now_ns(), std::memory_order_relaxed);
    for (const Memory& memory : g_memory) {
        if (memory.device.load(std::memory_order_acquire) == 0) continue;
        carry_over(header, memory);
        publish(header, memory);
        if (memory.ops.load(std::memory_order_acquire) != nullptr) take_part(header, memory);
    }
    g_header.store(&header, std::memory_order_release);
    bool known = false;
    for (const Memory& memory : g_memory) {  // again, since changes until now went to the old header
        if (memory.device.load(std::memory_order_acquire) == 0) continue;
        publish(header, memory);
        known = true;
    }
    if (known) ipc::ring_doorbell(header);  // the scheduler may have looked before
}

void forget_memory() {
    forget_counted_memory();
    g_header.store(nullptr, std::memory_order_release);
    for (Memory& memory : g_memory) {
        memory.device.store(0, std::memory_order_relaxed);
        memory.ops.store(nullptr, std::memory_order_relaxed);
        memory.on_card.store(0, std::memory_order_relaxed);
        memory.on_host.store(0, std::memory_order_relaxed);
        memory.fixed.store(0, std::memory_order_relaxed);
        memory.off.store(false, std::memory_order_relaxed);
        memory.yields.store(false, std::memory_order_relaxed);
    }
}

void look_at_memory_rules() {
    ipc::Header* header = g_header.load(std::memory_order_acquire);
    bool changed = false;
    for (const Memory& memory : g_memory)
        if (header != nullptr && memory.device.load(std::memory_order_acquire) != 0)
            changed |= publish_rules(words_of(*header, memory), memory.ops.load(std::memory_order_relaxed) != nullptr);
    if (changed) ipc::ring_doorbell(*header);
}

void tell_memory_rule(base::HintId id, int64_t value) {
    keep_told_memory_rule(id, value);
    look_at_memory_rules();
}

XResult yield_memory() {
    ipc::Header* header = served_header();
    if (header == nullptr || sum_of(&Memory::on_card) + sum_of(&Memory::on_host) == 0) return kXSchedErrorNotSupported;
    say_yields(*header, true);
    const int64_t until_ns = base::now_ns() + kLongestAskNs / 2;
    while (sum_of(&Memory::on_card) != 0) {
        if (base::now_ns() > until_ns || g_header.load(std::memory_order_acquire) != header) {
            say_yields(*g_header.load(std::memory_order_acquire), false);
            return kXSchedErrorHardware;
        }
        base::sleep_ns(kMemoryLookNs);
    }
    return kXSchedSuccess;
}

// Asks for the process's memory to come back to the device, and waits until it has. The memory also comes back if the
// server ends.
XResult acquire_memory() {
    ipc::Header* header = g_header.load(std::memory_order_acquire);
    if (header != nullptr) say_yields(*header, false);
    while (sum_of(&Memory::on_host) != 0) base::sleep_ns(kMemoryLookNs);
    return kXSchedSuccess;
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
