#include "platform/hip/shim/direct_queues.h"

#include <atomic>
#include <cerrno>
#include <new>

#include "base/log.h"
#include "base/mutex.h"
#include "base/options.h"
#include "base/pointer_map.h"
#include "platform/hip/hal/hal_abi.h"
#include "platform/stream/shim/entry_points.h"

namespace xsched::hip {
namespace {

using namespace hsa;

// Never freed, but used again for a later queue; a thread that still rings the gone one's doorbell finds its XQueue
// retired.
struct DirectEntry {
    std::atomic<XqQueue*> xqueue{nullptr};
    std::atomic<HwQueueHandle> hwq{0};
    const void* queue = nullptr;
    XhipPlace place{};
    bool tried = false;  // to make the XQueue; under g_entry_mutex, as what follows
    DirectEntry* next_spare = nullptr;
};

constinit base::Mutex g_entry_mutex;
constinit base::PointerMap<DirectEntry> g_doorbells;
constinit std::atomic<uint32_t> g_entries{0};  // in the map: without any, a store is looked at no further
constinit DirectEntry* g_spare = nullptr;

const void* key_of(hsa_signal_t signal) { return reinterpret_cast<const void*>(signal.handle); }

bool find_place(hsa_agent_t agent, AgentGetInfo info, XhipPlace* place) {
    uint32_t type = HSA_DEVICE_TYPE_GPU;
    if (info == nullptr || info(agent, HSA_AGENT_INFO_DEVICE, &type) != HSA_STATUS_SUCCESS) return false;
    if (type != HSA_DEVICE_TYPE_GPU || info(agent, HSA_AMD_AGENT_INFO_BDFID, &place->bdf) != HSA_STATUS_SUCCESS)
        return false;
    if (info(agent, HSA_AMD_AGENT_INFO_DOMAIN, &place->domain) != HSA_STATUS_SUCCESS) place->domain = 0;  // older ones
    return true;
}

// g_entry_mutex held.
void give_back(DirectEntry& entry) {
    g_entries.fetch_sub(1, std::memory_order_relaxed);
    entry.next_spare = g_spare;
    g_spare = &entry;
}

// g_entry_mutex held. At the first ring: by then it is known whether the queue is HIP's.
XqQueue* make_xqueue(DirectEntry& entry) {
    if (!base::options().auto_xqueue_on) return nullptr;
    HwQueueHandle hwq = 0;
    const XResult result = xhip_direct_wrap(&hwq, entry.queue, &entry.place);
    XqQueue* xqueue = result == kXSchedSuccess ? xq_auto_create(hwq, 0) : nullptr;
    entry.hwq.store(hwq, std::memory_order_relaxed);
    if (xqueue == nullptr)
        XLOG_WARN("the HSA queue %p is not scheduled: it could not be wrapped (status %d)", entry.queue, result);
    else
        XLOG_DEBG("the HSA queue %p is scheduled: each ring of its doorbell is a command", entry.queue);
    return xqueue;
}

XqQueue* xqueue_of(hsa_signal_t signal, DirectEntry& entry) {
    if (XqQueue* xqueue = entry.xqueue.load(std::memory_order_acquire)) return xqueue;
    base::Lock lock(g_entry_mutex);
    if (g_doorbells.find(key_of(signal)) != &entry) return nullptr;  // it went meanwhile
    if (!entry.tried && stream::driver_used()) {
        g_doorbells.erase(key_of(signal));
        give_back(entry);
        return nullptr;
    }
    if (!entry.tried) entry.xqueue.store(make_xqueue(entry), std::memory_order_release);
    entry.tried = true;
    return entry.xqueue.load(std::memory_order_relaxed);
}

}  // namespace

void direct_queue_made(const hsa_queue_t& queue, hsa_agent_t agent, AgentGetInfo info) {
    XhipPlace place{};
    if (stream::driver_used() || !find_place(agent, info, &place)) return;
    base::Lock lock(g_entry_mutex);
    if (g_doorbells.find(key_of(queue.doorbell_signal)) != nullptr) return;  // on its way through another hook
    DirectEntry* entry = g_spare;
    if (entry != nullptr)
        g_spare = entry->next_spare;
    else
        entry = new (std::nothrow) DirectEntry;
    if (entry == nullptr) return;
    entry->xqueue.store(nullptr, std::memory_order_relaxed);
    entry->queue = &queue;
    entry->place = place;
    entry->tried = false;
    g_entries.fetch_add(1, std::memory_order_relaxed);
    if (!g_doorbells.insert(key_of(queue.doorbell_signal), entry)) give_back(*entry);
}

void direct_queue_going(const hsa_queue_t& queue) {
    if (g_entries.load(std::memory_order_relaxed) == 0) return;
    XqQueue* xqueue = nullptr;
    {
        base::Lock lock(g_entry_mutex);
        DirectEntry* entry = g_doorbells.erase(key_of(queue.doorbell_signal));
        if (entry == nullptr) return;
        xqueue = entry->xqueue.exchange(nullptr, std::memory_order_acq_rel);
        give_back(*entry);
    }
    if (xqueue != nullptr) xq_retire(xqueue, kXqNoLastReport);
}

DirectStore::DirectStore(hsa_signal_t signal) {
    if (g_entries.load(std::memory_order_relaxed) == 0) return;
    DirectEntry* entry = g_doorbells.find(key_of(signal));
    if (entry == nullptr) return;
    const int saved = errno;
    if (XqQueue* xqueue = xqueue_of(signal, *entry)) {
        xqueue_ = xqueue;
        hwq_ = entry->hwq.load(std::memory_order_relaxed);
        xq_admit(xqueue, &ticket_);
    }
    errno = saved;
}

void DirectStore::made() {
    if (xqueue_ == nullptr) return;
    const int saved = errno;
    xhip_direct_rung(hwq_);
    xq_launched(xqueue_, &ticket_, kXqSucceeded);
    errno = saved;
}

}  // namespace xsched::hip
