// The device side of an XQueue over a queue of the HSA runtime that the program fills itself (hal_abi.h). There is no
// gate: the thread that rings the doorbell waits in our code while the queue is suspended, and level 3 takes the queue
// off the hardware. The queue's read index tells how far the device is, without any call or packet.
//
// The read index passes a packet when the device has taken it: on some GPUs once it is complete, on others as it
// starts. There the queue counts as idle up to one packet early, which costs at most the next decision; no result
// depends on it.
#include <atomic>
#include <new>

#include "base/fork.h"
#include "base/log.h"
#include "base/mutex.h"
#include "platform/hip/hal/hal_abi.h"
#include "platform/hip/hal/hsa_observer.h"
#include "platform/stream/hal/hwqueue.h"
#include "platform/stream/hal/identity.h"
#include "queue/abi/queue_abi.h"

namespace xsched::hip {
namespace {

using stream::kMostHardwareQueues;

constexpr uint64_t kPlaces = 1024;  // rings remembered; those before count as passed

// A queue of the HSA runtime's, by its number. It is made when first needed and never freed: a thread of ours may still
// look at it after its end.
struct DirectQueue {
    stream::HwQueue hwq;  // as level 3 knows queues; it has no stream
    stream::HardwareUse use;
    uint32_t number = 0;
    base::Mutex mutex;
    uint64_t rung = 0;  // under mutex
    uint64_t indices[kPlaces] = {};  // the write index after the nth ring, at n - 1
};
constinit base::Mutex g_direct_mutex;
constinit DirectQueue* g_direct[kMostHardwareQueues] = {};

DirectQueue& of(void* self) { return *static_cast<DirectQueue*>(self); }

// Returns how many of the doorbell's rings the device has passed; all of them if the queue is gone.
uint32_t passed(DirectQueue& queue) {
    uint64_t written = 0;
    uint64_t read = UINT64_MAX;
    indices_of(queue.number, &written, &read);  // of one that is gone: all
    base::Lock lock(queue.mutex);
    uint64_t low = queue.rung > kPlaces ? queue.rung - kPlaces : 0;
    uint64_t high = queue.rung;
    while (low < high) {
        const uint64_t middle = low + (high - low + 1) / 2;
        if (queue.indices[(middle - 1) % kPlaces] <= read)
            low = middle;
        else
            high = middle - 1;
    }
    return static_cast<uint32_t>(low);
}

XResult tell_passed(void* self, uint32_t* value) {
    *value = passed(of(self));
    return kXSchedSuccess;
}

XResult tell_begun(void* self, uint32_t* complete, uint32_t* begun) {
    *complete = *begun = passed(of(self));
    return kXSchedSuccess;
}

// The operations of a queue whose progress is its read index in memory. There are no gates. Each ring of the doorbell
// is recorded at once, so the operations that ask for a report or note a position have nothing to do.
constexpr XqGateOps kRead = {.bind = [](void*, const XqWords*) { return kXSchedErrorNotSupported; },
                             .words_owner = nullptr,
                             .wait = nullptr,
                             .write_progress = [](void*, uint32_t) { return kXSchedSuccess; },
                             .read_progress = tell_passed,
                             .cost = nullptr,
                             .note_place = [](void*, uint32_t) { return kXSchedSuccess; },
                             .look = tell_begun};

XResult take_off(void* self, XqInterrupt how) { return stream::interrupt(of(self).hwq, how); }
XResult put_back(void* self) {
    stream::restore(of(self).hwq);
    return kXSchedSuccess;
}

constexpr XqStopOps make_stop_ops() {
    XqStopOps ops{};
    ops.interrupt = take_off;
    ops.restore = put_back;
    ops.state = [](void* self) { return stream::stop_state(of(self).hwq); };
    return ops;
}
constexpr XqStopOps kStop = make_stop_ops();

void end(void* self) {
    DirectQueue& queue = of(self);
    stream::leave_interrupts(queue.hwq);
    queue.hwq.hardware.store(nullptr, std::memory_order_release);
}

constexpr XqDeviceOps make_ops(bool interrupts) {
    XqDeviceOps ops{};
    ops.abi = XQ_DEVICE_ABI;
    ops.levels = 1u << kPreemptLevelBlock;
    ops.platform = stream::kPlatform;
    ops.order = kXqInOrder;
    ops.gate = &kRead;
    if (interrupts) {
        ops.levels |= 1u << kPreemptLevelInterrupt;
        ops.stop = &kStop;
        ops.costs = stream::kCosts;
    }
    ops.destroy = end;
    return ops;
}
constexpr XqDeviceOps kBlocked = make_ops(false);
constexpr XqDeviceOps kInterrupted = make_ops(true);

DirectQueue* take(uint32_t number) {
    base::Lock lock(g_direct_mutex);
    DirectQueue*& place = g_direct[number - 1];
    if (place == nullptr) place = new (std::nothrow) DirectQueue;
    return place;
}

void begin(DirectQueue& queue, uint32_t number) {
    base::Lock lock(queue.mutex);
    queue.number = number;
    queue.rung = 0;
    queue.use.forget();
    queue.use.main.store(number, std::memory_order_relaxed);
    queue.hwq.device = -1;  // of HIP's numbers it has none
    queue.hwq.generation = base::fork_generation();
    queue.hwq.asks_interrupt = queue.hwq.takes_off = false;
    queue.hwq.hardware.store(&queue.use, std::memory_order_release);
}

}  // namespace
}  // namespace xsched::hip

using namespace xsched::hip;

extern "C" XResult xhip_direct_wrap(HwQueueHandle* hwq, const void* hsa_queue, const XhipPlace* place) {
    using namespace xsched;
    const uint32_t number = number_of_queue(hsa_queue);
    if (number == 0 || xq_abi_version() != XQ_DEVICE_ABI) return kXSchedErrorNotSupported;
    DirectQueue* queue = take(number);
    if (queue == nullptr) return kXSchedErrorUnknown;
    begin(*queue, number);
    queue->hwq.interruptible = stream::interrupts_wanted() && stream::join_interrupts(queue->hwq);
    const XqDeviceOps& ops = queue->hwq.interruptible ? kInterrupted : kBlocked;
    const XDevice device = stream::identity_at(place->domain, place->bdf >> 8, place->bdf >> 3 & 0x1f);
    const XResult result = xq_hwq_create(hwq, &ops, queue, reinterpret_cast<uintptr_t>(hsa_queue), device);
    if (result != kXSchedSuccess) end(queue);
    return result;
}

extern "C" void xhip_direct_rung(HwQueueHandle hwq) {
    auto* queue = static_cast<DirectQueue*>(xq_hwq_impl(hwq));
    if (queue == nullptr) return;
    uint64_t written = 0;
    uint64_t read = 0;
    if (!indices_of(queue->number, &written, &read)) return;
    xsched::base::Lock lock(queue->mutex);
    const uint64_t least = queue->rung > 0 ? queue->indices[(queue->rung - 1) % kPlaces] : 0;
    queue->indices[queue->rung++ % kPlaces] = written > least ? written : least;
}
