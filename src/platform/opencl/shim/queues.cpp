#include "platform/opencl/shim/queues.h"

#include <atomic>
#include <new>

#include "base/fork.h"
#include "base/futex.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/options.h"
#include "base/pointer_map.h"
#include "platform/opencl/hal/hal_abi.h"
#include "platform/opencl/shim/entry_points.h"
#include "xsched/xqueue.h"

namespace xsched::opencl {
namespace {

enum State : uint32_t {
    kNew,        // known, never used
    kPreparing,  // a thread of this process (preparing) is making its XQueue; others wait
    kReady,      // `xqueue` is final; nullptr: not scheduled
    kUnmanaged   // XSCHED_AUTO_XQUEUE=OFF: scheduled once the program makes an XQueue for it
};

constexpr int32_t kUncounted = -1;  // its creation was not seen

// Returns the state "a thread prepares this entry", which contains the fork generation. A forked child sees another
// generation, so it knows that the preparing thread does not exist there, and prepares the entry itself.
uint32_t preparing() { return kPreparing | base::fork_generation() << 2; }

// The entry of one command queue. Never freed, so that a thread that still looks at a released queue's entry reads
// valid memory.
struct Entry {
    base::FutexWord state{kNew};
    std::atomic<XqQueue*> xqueue{nullptr};
    std::atomic<int32_t> references{kUncounted};
    std::atomic<HwQueueHandle> hwq{0};
    std::atomic<bool> own{false};  // the XQueue was made here, not by the program through XQueueCreate
    std::atomic<Priority> vendor_priority{PRIORITY_DEFAULT};
    Entry* next_spare = nullptr;
};

constinit base::PointerMap<Entry> g_entries;
constinit base::Mutex g_first_use_mutex;
constinit base::Mutex g_spare_mutex;
constinit Entry* g_spare = nullptr;
constinit std::atomic<uint32_t> g_xqueues{0};

Entry* new_entry() {
    Entry* entry = nullptr;
    {
        base::Lock lock(g_spare_mutex);
        entry = g_spare;
        if (entry != nullptr) g_spare = entry->next_spare;
    }
    if (entry == nullptr) return new (std::nothrow) Entry;
    entry->xqueue.store(nullptr, std::memory_order_relaxed);
    entry->references.store(kUncounted, std::memory_order_relaxed);
    entry->hwq.store(0, std::memory_order_relaxed);
    entry->own.store(false, std::memory_order_relaxed);
    entry->vendor_priority.store(PRIORITY_DEFAULT, std::memory_order_relaxed);
    entry->state.store(kNew, std::memory_order_release);
    return entry;
}

void spare_entry(Entry* entry) {
    base::Lock lock(g_spare_mutex);
    entry->next_spare = g_spare;
    g_spare = entry;
}

// Returns the queue's entry. Makes it if the queue is seen for the first time, maybe by several threads at once.
Entry* entry_for(cl_command_queue queue) {
    base::Lock lock(g_first_use_mutex);
    Entry* entry = g_entries.find(queue);
    if (entry != nullptr) return entry;
    entry = new_entry();
    if (entry != nullptr && !g_entries.insert(queue, entry)) {
        spare_entry(entry);
        entry = nullptr;
    }
    return entry;
}

// Returns the XQueue that the program made itself over its own wrapper of the queue.
XqQueue* program_made(cl_command_queue queue) {
    HwQueueHandle hwq = 0;
    XQueueHandle handle = 0;
    if (xq_hwq_find(&hwq, kPlatformOpenCL, reinterpret_cast<uint64_t>(queue)) != kXSchedSuccess) return nullptr;
    if (XQueueGet(&handle, hwq) != kXSchedSuccess) return nullptr;
    return xq_from_handle(handle);
}

State prepare(cl_command_queue queue, Entry& entry) {
    XqQueue* xqueue = program_made(queue);
    if (xqueue == nullptr) {
        if (!base::options().auto_xqueue_on) return kUnmanaged;
        HwQueueHandle hwq = 0;
        XResult result = xq_hwq_find(&hwq, kPlatformOpenCL, reinterpret_cast<uint64_t>(queue));
        const bool wrapped = result == kXSchedErrorNotFound;  // here, and not by the program
        if (wrapped) result = xocl_wrap(&hwq, queue);
        if (result == kXSchedErrorNotSupported) return kReady;  // on-device
        if (result == kXSchedErrorInvalidValue) return kNew;    // not a queue: the driver will say so
        if (result != kXSchedSuccess) {
            XLOG_WARN("queue %p is not scheduled: it could not be wrapped (error %d)", static_cast<void*>(queue),
                      result);
            return kReady;
        }
        xqueue = xq_auto_create(hwq, entry.vendor_priority.load(std::memory_order_relaxed));
        if (xqueue == nullptr && wrapped) HwQueueDestroy(hwq);  // with what it keeps of the driver's
        entry.hwq.store(hwq, std::memory_order_relaxed);
        entry.own.store(xqueue != nullptr, std::memory_order_relaxed);
    }
    if (xqueue != nullptr) g_xqueues.fetch_add(1, std::memory_order_relaxed);
    entry.xqueue.store(xqueue, std::memory_order_relaxed);
    return kReady;
}

XqQueue* first_use(cl_command_queue queue) {
    if (queue == nullptr) return nullptr;
    Entry* entry = entry_for(queue);
    if (entry == nullptr) return nullptr;
    for (;;) {
        uint32_t state = entry->state.load(std::memory_order_acquire);
        if (state == kReady) return entry->xqueue.load(std::memory_order_relaxed);
        if (state == preparing()) {
            base::futex_wait(entry->state, state);
            continue;
        }
        if (state == kUnmanaged && program_made(queue) == nullptr) return nullptr;
        if (!entry->state.compare_exchange_strong(state, preparing(), std::memory_order_acq_rel)) continue;
        const State outcome = prepare(queue, *entry);
        XqQueue* xqueue = entry->xqueue.load(std::memory_order_relaxed);
        entry->state.store(outcome, std::memory_order_release);
        base::futex_wake_all(entry->state);
        if (outcome == kNew && entry->references.load(std::memory_order_relaxed) == kUncounted)
            g_entries.erase(queue);  // not a queue; the entry is left behind, others may wait on it
        return xqueue;
    }
}

// Lets go of the entry's XQueue. `alive`: the vendor's queue is still there and is to outlive the pending work.
void let_go(Entry& entry, bool alive) {
    XqQueue* xqueue = entry.xqueue.exchange(nullptr, std::memory_order_acq_rel);
    if (xqueue == nullptr) return;
    g_xqueues.fetch_sub(1, std::memory_order_relaxed);
    if (!entry.own.load(std::memory_order_relaxed)) return;  // the program's own XQueue stays until XQueueDestroy
    if (alive) xocl_keep(entry.hwq.load(std::memory_order_relaxed));
    xq_retire(xqueue, kXqLastReport);
}

bool last_reference(cl_command_queue queue, Entry& entry) {
    if (entry.references.load(std::memory_order_relaxed) != kUncounted)
        return entry.references.fetch_sub(1, std::memory_order_acq_rel) == 1;
    cl_uint references = 0;
    const cl_int code =
        below<kEntry_clGetCommandQueueInfo>()(queue, CL_QUEUE_REFERENCE_COUNT, sizeof references, &references, nullptr);
    return code == CL_SUCCESS && references == 1;
}

}  // namespace

XqQueue* xqueue_of(cl_command_queue queue) {
    const Entry* entry = queue != nullptr ? g_entries.find(queue) : nullptr;
    if (entry != nullptr && entry->state.load(std::memory_order_acquire) == kReady) [[likely]]
        return entry->xqueue.load(std::memory_order_relaxed);
    return first_use(queue);
}

XqQueue* known_xqueue_of(cl_command_queue queue) {
    const Entry* entry = queue != nullptr ? g_entries.find(queue) : nullptr;
    return entry != nullptr ? entry->xqueue.load(std::memory_order_acquire) : nullptr;
}

bool several_xqueues() { return g_xqueues.load(std::memory_order_relaxed) > 1; }

void producers_inherit(XqQueue* consumer, cl_uint count, const cl_event* events) {
    if (consumer == nullptr || events == nullptr || !several_xqueues()) return;
    for (cl_uint i = 0; i < count; ++i) {
        cl_command_queue queue = nullptr;
        if (events[i] == nullptr || below<kEntry_clGetEventInfo>()(events[i], CL_EVENT_COMMAND_QUEUE, sizeof queue,
                                                                   &queue, nullptr) != CL_SUCCESS)
            continue;
        XqQueue* producer = known_xqueue_of(queue);
        if (producer != nullptr && producer != consumer) xq_inherit_priority(consumer, producer);
    }
}

void queue_created(cl_command_queue queue, Priority vendor_priority) {
    // If there is an entry for this address, it is that of an ended queue whose release the shim did not see. The
    // driver would not use the address again otherwise.
    if (Entry* stale = g_entries.erase(queue)) {
        let_go(*stale, false);
        spare_entry(stale);
    }
    Entry* entry = entry_for(queue);
    if (entry == nullptr) return;
    entry->references.store(1, std::memory_order_relaxed);
    entry->vendor_priority.store(vendor_priority, std::memory_order_relaxed);
}

void queue_retained(cl_command_queue queue) {
    Entry* entry = queue != nullptr ? g_entries.find(queue) : nullptr;
    if (entry != nullptr && entry->references.load(std::memory_order_relaxed) != kUncounted)
        entry->references.fetch_add(1, std::memory_order_relaxed);
}

void queue_releasing(cl_command_queue queue) {
    Entry* entry = queue != nullptr ? g_entries.find(queue) : nullptr;
    if (entry == nullptr || !last_reference(queue, *entry)) return;
    g_entries.erase(queue);
    let_go(*entry, true);
    spare_entry(entry);
}

void queue_changed(cl_command_queue queue) {
    Entry* entry = queue != nullptr ? g_entries.find(queue) : nullptr;
    if (entry == nullptr) return;
    let_go(*entry, true);
    entry->state.store(kNew, std::memory_order_release);
}

}  // namespace xsched::opencl
