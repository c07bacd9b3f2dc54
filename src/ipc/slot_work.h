// The meaning of a slot's words together: what work its queue has, how urgent that is, whether it is off its device,
// and whether its gate is to be open. Takes no lock.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "ipc/queue_slot.h"

namespace xsched::ipc {

// Returns how many commands are known to be complete, never more than `submitted`. Takes no lock.
inline uint64_t completed_commands(const QueueSlot& slot) {
    const uint64_t completed = slot.completed.load(std::memory_order_acquire);
    if (slot.device_progress.load(std::memory_order_relaxed) == 0) return completed;
    const uint32_t passed = slot.progress.load(std::memory_order_acquire);
    const uint64_t submitted = slot.submitted.load(std::memory_order_acquire);
    const uint64_t by_device = submitted - static_cast<uint32_t>(static_cast<uint32_t>(submitted) - passed);
    return by_device > completed && by_device <= submitted ? by_device : completed;
}

// The value of `stands_at` for a queue that stands once `completed` commands are complete.
inline constexpr uint32_t stand_mark(uint64_t completed) { return static_cast<uint32_t>(completed) + 1; }

// Returns whether the queue stands with that many complete: the rest waits for its host, another program or another
// device.
inline bool stands(const QueueSlot& slot, uint64_t completed) {
    const uint32_t mark = stand_mark(completed);
    if (mark == 0)
        return false;  // mark 0 means none; a true mark is 0 once in 2^32 commands, and then the queue
                       // counts as ready
    for (const std::atomic<uint32_t>& at : slot.stands_at)
        if (at.load(std::memory_order_acquire) == mark) return true;
    return false;
}

// The work that a queue has, as its client says it. `ready` counts for the scheduler unless its own program suspends
// it.
struct SlotWork {
    uint64_t completed = 0;
    uint64_t submitted = 0;
    bool ready = false;  // some of its work can use the device, or a caller waits for room
    bool stands = false;  // it has work, and all of it waits for its host, another program or another device
};
// `completed` is read first: a command that completes in between leaves the queue ready for one look too long, and the
// client rings then. The other way round work would be overlooked.
inline SlotWork work_of(const QueueSlot& slot) {
    SlotWork work;
    work.completed = completed_commands(slot);
    const bool waiting = slot.waiting.load(std::memory_order_acquire) != 0;
    work.submitted = slot.submitted.load(std::memory_order_acquire);
    const bool pending = work.submitted != work.completed;
    work.stands = pending && !waiting && stands(slot, work.completed);
    work.ready = (pending && !work.stands) || waiting;
    return work;
}

// Returns `own`, or the inherited priority until `completed` reaches the end of that.
inline int32_t with_inherited_priority(const QueueSlot& slot, int32_t own, uint64_t completed) {
    for (int i = 0; i < kMostInherited; ++i)
        if (completed < slot.inherited_until[i].load(std::memory_order_acquire))
            own = std::max<int32_t>(own, slot.inherited_priority[i].load(std::memory_order_relaxed));
    return own;
}

// The longest timeslice that counts as short. Victims may get a short one. A longer one is the driver's own (about
// 2 ms), or a multiple of that for the most urgent process.
inline constexpr uint32_t kLongestShortTimesliceUs = 2000;
inline constexpr bool is_short_timeslice(uint32_t us) { return us != 0 && us <= kLongestShortTimesliceUs; }

inline bool is_off(const QueueSlot& slot) {
    return slot.taken.load(std::memory_order_acquire) == static_cast<uint32_t>(Taken::kOff);
}
inline bool may_be_off(const QueueSlot& slot) {
    return is_off(slot) || slot.taken.load(std::memory_order_acquire) == static_cast<uint32_t>(Taken::kTaking);
}
inline bool is_slowed(const QueueSlot& slot) {
    return slot.taken.load(std::memory_order_seq_cst) == static_cast<uint32_t>(Taken::kSlowed);
}
// Returns whether a queue that is suspended for another program still runs, slowed. A queue that a person or a limit
// suspends must stop.
inline bool runs_slowed(const QueueSlot& slot) {
    return is_slowed(slot) && slot.suspended_for_nobody.load(std::memory_order_seq_cst) == 0;
}

inline uint32_t wanted_gate(const QueueSlot& slot) {
    const bool closed = (slot.suspended.load(std::memory_order_seq_cst) != 0 && !runs_slowed(slot)) ||
                        slot.api_suspended.load(std::memory_order_seq_cst) != 0;
    return closed ? kGateClosed : kGateOpen;
}

// Closes the gate if the scheduler or the program suspends the queue, otherwise opens it. The gate of a queue that is
// only slowed stays open. Each side calls this after changing its own word; the later call sees both changes.
inline void settle_gate(QueueSlot& slot) {
    uint32_t wanted = wanted_gate(slot);
    while (slot.gate.load(std::memory_order_seq_cst) != wanted) {
        slot.gate.store(wanted, std::memory_order_seq_cst);
        wanted = wanted_gate(slot);
    }
}

}  // namespace xsched::ipc
