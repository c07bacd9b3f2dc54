#include "platform/hip/shim/direct_queues.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "base/log.h"
#include "base/mutex.h"
#include "base/options.h"
#include "base/pointer_map.h"
#include "platform/hip/hal/hal_abi.h"
#include "platform/stream/shim/entry_points.h"
#include "xsched/hint.h"
#include "xsched/xqueue.h"

namespace xsched::hip {
namespace {

using namespace hsa;

// The XQueue of one queue that the program fills itself. Never freed, but used again for a later queue. A thread that
// still rings the doorbell of a destroyed queue finds a retired XQueue.
struct DirectEntry {
    std::atomic<XqQueue*> xqueue{nullptr};
    std::atomic<HwQueueHandle> hwq{0};
    std::atomic<uint32_t> rings{0};
    // The members from here on: under g_entry_mutex.
    hsa_queue_t* queue = nullptr;
    XhipPlace place{};
    QueueSetPriority set_priority = nullptr;
    uint32_t hardware = HSA_AMD_QUEUE_PRIORITY_NORMAL;  // as the runtime has it
    int32_t own = 0;  // as an XQueue's priority, what the program gave it
    bool tried = false;  // to make the XQueue
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

// Makes the XQueue of a queue at its first ring: by then it is known whether the queue is HIP's. nullptr: it is not
// scheduled. g_entry_mutex held.
XqQueue* make_xqueue(DirectEntry& entry) {
    if (!base::options().auto_xqueue_on) return nullptr;
    HwQueueHandle hwq = 0;
    const XResult result = xhip_direct_wrap(&hwq, entry.queue, &entry.place);
    XqQueue* xqueue = result == kXSchedSuccess ? xq_auto_create(hwq, entry.own) : nullptr;
    if (xqueue == nullptr && result == kXSchedSuccess) {
        HwQueueDestroy(hwq);
        hwq = 0;
    }
    entry.hwq.store(hwq, std::memory_order_relaxed);
    if (xqueue == nullptr)
        XLOG_WARN("the HSA queue %p is not scheduled: it could not be wrapped (status %d)",
                  static_cast<void*>(entry.queue), result);
    else
        XLOG_DEBG("the HSA queue %p is scheduled: each ring of its doorbell is a command",
                  static_cast<void*>(entry.queue));
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

// Convert between hsa_amd_queue_priority_t and priorities of XQueues, in the same way as for HIP's streams.
int32_t xqueue_priority(uint32_t hardware) {
    return static_cast<int32_t>(hardware) - static_cast<int32_t>(HSA_AMD_QUEUE_PRIORITY_NORMAL);
}
uint32_t hardware_priority(int32_t priority) {
    if (priority == 0) return HSA_AMD_QUEUE_PRIORITY_NORMAL;
    return priority > 0 ? HSA_AMD_QUEUE_PRIORITY_HIGH : HSA_AMD_QUEUE_PRIORITY_LOW;
}

// Returns whether the hardware should prefer the urgent queue. It should not if a victim is to continue beside it on
// few compute units: beside a queue that fills the device and is preferred, the victim would get none.
bool hardware_is_to_prefer() {
    return base::options().hip_queue_priority != 0 && strcmp(base::options().hip_interrupt, "mask") != 0;
}

// Follows the priority that was set since the last look (XHintPriority, xcli hint). Runs on the ringing thread, since
// only the program's threads may call the runtime.
void follow_priority(hsa_signal_t signal, DirectEntry& entry, XqQueue* xqueue) {
    constexpr uint32_t kOneIn = 16;  // rings
    if (entry.rings.fetch_add(1, std::memory_order_relaxed) % kOneIn != 0 || !hardware_is_to_prefer()) return;
    const uint32_t wanted = hardware_priority(xq_priority(xqueue));
    hsa_queue_t* queue = nullptr;
    QueueSetPriority set_priority = nullptr;
    {
        base::Lock lock(g_entry_mutex);
        if (g_doorbells.find(key_of(signal)) != &entry || entry.hardware == wanted) return;
        entry.hardware = wanted;  // what is refused is not tried again
        queue = entry.queue;
        set_priority = entry.set_priority;
    }
    if (set_priority == nullptr) return;
    const hsa_status_t status = set_priority(queue, wanted);
    XLOG_DEBG("the HSA queue %p gets the hardware's priority %u (status %d)", static_cast<void*>(queue), wanted,
              status);
}

}  // namespace

void direct_queue_made(hsa_queue_t& queue, hsa_agent_t agent, const DirectCalls& calls) {
    XhipPlace place{};
    if (stream::driver_used() || !find_place(agent, calls.agent_get_info, &place)) return;
    base::Lock lock(g_entry_mutex);
    if (g_doorbells.find(key_of(queue.doorbell_signal)) != nullptr) return;  // on its way through another hook
    DirectEntry* entry = g_spare;
    if (entry != nullptr)
        g_spare = entry->next_spare;
    else
        entry = new (std::nothrow) DirectEntry;
    if (entry == nullptr) return;
    entry->xqueue.store(nullptr, std::memory_order_relaxed);
    entry->rings.store(0, std::memory_order_relaxed);
    entry->queue = &queue;
    entry->place = place;
    entry->set_priority = calls.set_priority;
    entry->hardware = HSA_AMD_QUEUE_PRIORITY_NORMAL;
    entry->own = 0;
    entry->tried = false;
    g_entries.fetch_add(1, std::memory_order_relaxed);
    if (!g_doorbells.insert(key_of(queue.doorbell_signal), entry)) give_back(*entry);
}

void direct_queue_priority(const hsa_queue_t& queue, uint32_t priority) {
    if (g_entries.load(std::memory_order_relaxed) == 0 || priority > HSA_AMD_QUEUE_PRIORITY_HIGH) return;
    XqQueue* xqueue = nullptr;
    HwQueueHandle hwq = 0;
    int32_t before = 0;
    {
        base::Lock lock(g_entry_mutex);
        DirectEntry* entry = g_doorbells.find(key_of(queue.doorbell_signal));
        if (entry == nullptr || entry->hardware == priority) return;  // or it is our own call
        before = std::exchange(entry->own, xqueue_priority(priority));
        entry->hardware = priority;
        entry->rings.store(0, std::memory_order_relaxed);
        xqueue = entry->xqueue.load(std::memory_order_relaxed);
        hwq = entry->hwq.load(std::memory_order_relaxed);
    }
    XQueueHandle handle = 0;
    if (xqueue == nullptr || xq_priority(xqueue) != before || XQueueGet(&handle, hwq) != kXSchedSuccess) return;
    XHintPriority(handle, xqueue_priority(priority));
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
        follow_priority(signal, *entry, xqueue);
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
