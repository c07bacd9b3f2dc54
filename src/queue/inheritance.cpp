#include "queue/inheritance.h"

namespace xsched::queue {

int32_t inherited_priority(const ipc::QueueSlot& slot) {
    return ipc::with_inherited_priority(slot, slot.priority.load(std::memory_order_relaxed),
                                        ipc::completed_commands(slot));
}

// Adds an entry. An entry of a higher priority ends by itself, and this one must not end with it. Entries of lower
// priorities that end earlier are dropped.
bool inherit(ipc::QueueSlot& slot, uint64_t submitted, int32_t priority) {
    const uint64_t completed = ipc::completed_commands(slot);
    if (submitted == completed || slot.priority.load(std::memory_order_relaxed) >= priority) return false;
    int place = -1;
    bool known = false;
    for (int i = 0; i < ipc::kMostInherited; ++i) {
        const uint64_t until = slot.inherited_until[i].load(std::memory_order_relaxed);
        const int32_t entry = slot.inherited_priority[i].load(std::memory_order_relaxed);
        known = known || (until == submitted && entry >= priority);
        if (completed < until && entry > priority) continue;
        slot.inherited_until[i].store(0, std::memory_order_relaxed);
        if (place < 0) place = i;
    }
    if (place >= 0)
        slot.inherited_priority[place].store(static_cast<int16_t>(priority), std::memory_order_relaxed);
    else
        place = 0;  // all entries have higher priorities: extend the first one
    slot.inherited_until[place].store(submitted, std::memory_order_release);
    return !known;
}

}  // namespace xsched::queue
