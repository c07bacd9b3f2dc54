#include "platform/hip/hal/hsa_observer.h"

#include <atomic>

#include "base/log.h"
#include "base/mutex.h"
#include "platform/stream/hal/users.h"

namespace xsched::hip {
namespace {

using stream::HardwareUse;
using stream::kMostHardwareQueues;

// One observed queue. Never freed. A reader counts as one of `users` while it reads the queue's own memory, which the
// runtime frees with the queue.
struct Observed {
    std::atomic<const hsa::amd_queue_t*> queue{nullptr};  // null: the place is free
    stream::Users users;
    std::atomic<uint64_t> seen{0};  // its write index after the last call that we watched
    QueueFacts facts{};             // under g_mutex
};

constinit Observed g_queues[kMostHardwareQueues];
constinit base::Mutex g_mutex;
constinit std::atomic<uint32_t> g_highest{0};  // no number beyond it was ever given
constinit std::atomic<bool> g_incomplete{false};
constinit std::atomic<bool> g_moves{false};

Observed& at(uint32_t number) { return g_queues[number - 1]; }

// Reads a queue's write index. Returns false if the queue is gone.
bool write_index(uint32_t number, uint64_t* index) {
    Observed& observed = at(number);
    const bool alive = observed.users.enter();
    const hsa::amd_queue_t* queue = alive ? observed.queue.load(std::memory_order_acquire) : nullptr;
    if (queue != nullptr) *index = __atomic_load_n(&queue->write_dispatch_id, __ATOMIC_RELAXED);
    if (alive) observed.users.leave();
    return queue != nullptr;
}

// Returns the number under which a queue is observed; 0 if it is not observed. g_mutex held.
uint32_t number_of(const void* queue) {
    const uint32_t highest = g_highest.load(std::memory_order_relaxed);
    for (uint32_t number = 1; number <= highest; ++number)
        if (at(number).queue.load(std::memory_order_relaxed) == queue) return number;
    return 0;
}

// Returns the lowest number that no observed queue has; 0 if there are too many queues. g_mutex held.
uint32_t free_number() {
    for (uint32_t number = 1; number <= kMostHardwareQueues; ++number)
        if (at(number).queue.load(std::memory_order_relaxed) == nullptr) return number;
    return 0;
}

// Notes on which queue a stream was found. Returns whether it is another one than before, or the first one.
bool set_main(HardwareUse& use, uint32_t before, uint32_t now) {
    if (before == now) return false;
    use.main.store(now, std::memory_order_relaxed);
    uses_changed();
    if (now == 0) return true;
    XLOG_DEBG("a stream uses hardware queue %u (before: %u)", now, before);
    const uint32_t last = use.last.exchange(now, std::memory_order_relaxed);
    if (last != 0 && last != now && !g_moves.exchange(true, std::memory_order_relaxed))
        XLOG_DEBG("the HIP runtime moves streams among its hardware queues");
    return true;
}

// Returns the one queue whose write index differs from `was(number)`; 0: no queue moved, or several did (then `several`
// is set).
template <typename Was>
uint32_t only_moved(uint32_t count, Was was, bool* several) {
    uint32_t found = 0;
    for (uint32_t number = 1; number <= count; ++number) {
        uint64_t index = 0;
        if (!write_index(number, &index) || was(number) == index) continue;
        *several = found != 0;
        found = number;
        if (*several) return 0;
    }
    return found;
}

// Finds the stream's queue again, after its known queue received nothing. If several queues received packets, the right
// one cannot be told. Returns whether the stream's queue has changed, also to unknown.
bool find_again(HardwareUse& use, uint32_t before) {
    bool several = false;
    const auto seen = [](uint32_t number) { return at(number).seen.load(std::memory_order_relaxed); };
    const uint32_t found = only_moved(g_highest.load(std::memory_order_acquire), seen, &several);
    if (found == 0 && !several) return false;  // a command that needs no packet there (a copy engine's)
    return set_main(use, before, found);
}

void note_seen(uint32_t number) {
    uint64_t index = 0;
    if (number != 0 && write_index(number, &index)) at(number).seen.store(index, std::memory_order_relaxed);
}

}  // namespace

uint32_t highest_queue_number() { return g_highest.load(std::memory_order_acquire); }

QueueFacts facts_of(uint32_t number) {
    base::Lock lock(g_mutex);
    const bool there = number != 0 && number <= kMostHardwareQueues && at(number).queue.load() != nullptr;
    return there ? at(number).facts : QueueFacts{};
}

uint32_t number_of_queue(const void* hsa_queue) {
    base::Lock lock(g_mutex);
    return number_of(hsa_queue);
}

bool indices_of(uint32_t number, uint64_t* written, uint64_t* read) {
    if (number == 0 || number > kMostHardwareQueues) return false;
    Observed& observed = at(number);
    const bool alive = observed.users.enter();
    const hsa::amd_queue_t* queue = alive ? observed.queue.load(std::memory_order_acquire) : nullptr;
    if (queue != nullptr) {
        *read = __atomic_load_n(&queue->read_dispatch_id, __ATOMIC_ACQUIRE);
        *written = __atomic_load_n(&queue->write_dispatch_id, __ATOMIC_ACQUIRE);
    }
    if (alive) observed.users.leave();
    return queue != nullptr;
}

}  // namespace xsched::hip

using namespace xsched::hip;

extern "C" {

void xhip_queue_made(const void* made, uint64_t agent) {
    const auto* queue = static_cast<const hsa::hsa_queue_t*>(made);
    xsched::base::Lock lock(g_mutex);
    if (queue == nullptr || number_of(queue) != 0) return;  // seen already, on its way through another hook
    const uint32_t number = free_number();
    if (number == 0) return g_incomplete.store(true, std::memory_order_relaxed);
    Observed& observed = at(number);
    observed.facts = {reinterpret_cast<uintptr_t>(queue->base_address),
                      agent,
                      queue->doorbell_signal.handle,
                      queue->size,
                      hsa::HSA_AMD_QUEUE_PRIORITY_NORMAL,
                      false};
    const auto* whole = reinterpret_cast<const hsa::amd_queue_t*>(queue);
    observed.seen.store(whole->write_dispatch_id, std::memory_order_relaxed);
    observed.users.restart();
    observed.queue.store(whole, std::memory_order_release);
    if (number > g_highest.load(std::memory_order_relaxed)) g_highest.store(number, std::memory_order_release);
    XLOG_DEBG("hardware queue %u: %u packets at %p", number, queue->size, queue->base_address);
}

void xhip_queue_going(const void* queue) {
    xsched::base::Lock lock(g_mutex);
    const uint32_t number = number_of(queue);
    if (number == 0) return;
    at(number).users.end();
    at(number).queue.store(nullptr, std::memory_order_release);
    at(number).facts = {};
}

void xhip_queue_priority(const void* queue, uint32_t priority) {
    xsched::base::Lock lock(g_mutex);
    if (const uint32_t number = number_of(queue)) at(number).facts.priority = priority;
}

void xhip_queue_masked(const void* queue) {
    xsched::base::Lock lock(g_mutex);
    if (const uint32_t number = number_of(queue)) at(number).facts.masked = true;
}

bool xhip_queues_observed(void) {
    return g_highest.load(std::memory_order_relaxed) != 0 && !g_incomplete.load(std::memory_order_relaxed);
}

bool xhip_streams_move(void) { return g_moves.load(std::memory_order_relaxed); }

void xhip_call_begins(const HardwareUse* use, bool wide, XhipCallWatch* watch) {
    watch->main = use->main.load(std::memory_order_relaxed);
    watch->count = 0;
    if (watch->main != 0 && write_index(watch->main, &watch->main_before)) {
        at(watch->main).seen.store(watch->main_before, std::memory_order_relaxed);
        if (!wide) return;
    }
    watch->count = g_highest.load(std::memory_order_acquire);
    for (uint32_t number = 1; number <= watch->count; ++number)
        if (!write_index(number, &watch->before[number - 1])) watch->before[number - 1] = 0;
}

bool xhip_call_returned(HardwareUse* use, bool wide, const XhipCallWatch* watch) {
    if (watch->count == 0) {
        uint64_t index = 0;
        if (!write_index(watch->main, &index)) return set_main(*use, watch->main, 0);
        return index == watch->main_before && find_again(*use, watch->main);
    }
    const auto was = [watch](uint32_t number) { return watch->before[number - 1]; };
    const uint32_t known = watch->main;
    bool changed = false;
    if (wide) {
        for (uint32_t number = 1; number <= watch->count; ++number) {
            uint64_t index = 0;
            if (number == known || !write_index(number, &index) || was(number) == index) continue;
            use->add(number);
            changed = true;
        }
        if (changed) uses_changed();
        return changed;
    }
    bool several = false;
    const uint32_t found = only_moved(watch->count, was, &several);
    return found != 0 && set_main(*use, known, found);
}

// Records how much the hardware queue contains, now that our report is behind the call. If streams move between
// hardware queues, does so for all of them, since the report may be in another one than the call.
void xhip_call_settled(const HardwareUse* use) {
    if (!g_moves.load(std::memory_order_relaxed)) return note_seen(use->main.load(std::memory_order_relaxed));
    const uint32_t highest = g_highest.load(std::memory_order_acquire);
    for (uint32_t number = 1; number <= highest; ++number) note_seen(number);
}
}
