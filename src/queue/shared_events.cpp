#include "queue/shared_events.h"

#include "base/mutex.h"

namespace xsched::queue {
namespace {

constinit base::Mutex g_tables_mutex;  // guards the header's tables; no other lock is taken while it is held

bool is_over(const ipc::QueueSlot* slots, const ipc::SharedUse& use) {
    const ipc::QueueSlot& slot = slots[use.slot.load(std::memory_order_relaxed)];
    return slot.handle.load(std::memory_order_relaxed) != use.handle.load(std::memory_order_relaxed) ||
           ipc::completed_commands(slot) >= use.until.load(std::memory_order_relaxed);
}

}  // namespace

void tell_shared_use(ipc::Header& header, const ipc::QueueSlot& slot, const SharedEventUse& use) {
    const ipc::QueueSlot* const slots = ipc::slots_of(header);
    const uint64_t handle = slot.handle.load(std::memory_order_relaxed);
    ipc::SharedEvents& told = header.shared_events;
    base::Lock lock(g_tables_mutex);
    ipc::SharedUse* place = nullptr;
    for (ipc::SharedUse& it : use.use == kXqRecords ? told.records : told.waits) {
        const uint64_t event = it.event.load(std::memory_order_relaxed);
        // A new record of an event replaces any earlier record of it. A new wait replaces only a wait of the same
        // queue.
        const bool replaced = event == use.event && (use.use == kXqRecords || it.handle.load() == handle);
        if (replaced || (place == nullptr && (event == 0 || is_over(slots, it)))) place = &it;
        if (replaced) break;
    }
    if (place == nullptr) return;
    place->event.store(0, std::memory_order_relaxed);
    place->handle.store(handle, std::memory_order_release);
    place->until.store(use.until, std::memory_order_release);
    place->slot.store(static_cast<uint32_t>(&slot - slots), std::memory_order_release);
    place->event.store(use.event, std::memory_order_release);
    told.changes.fetch_add(1, std::memory_order_release);
}

}  // namespace xsched::queue
