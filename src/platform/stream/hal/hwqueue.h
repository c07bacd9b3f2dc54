// The device's side of an XQueue, for drivers with streams: what device.h asks of a gated device, with stream
// wait-values as gates and stream write-values as progress. Level 2 where the driver has both, else level 1; level 3
// where the platform has it.
#pragma once

#include <atomic>

#include "platform/stream/hal/driver_use.h"
#include "platform/stream/hal/event_ring.h"
#include "platform/stream/hal/stream_id.h"
#include "queue/device.h"
#include "vendor.h"

namespace xsched::stream {

// Never freed, so that a thread that still holds a pointer to an ended one reads valid memory; used again for another
// stream as late as possible.
struct HwQueue {
    const Api* api = nullptr;
    StreamKind kind = StreamKind::kOrdinary;
    Stream stream = nullptr;  // as functions without a per-thread suffix know it
    Context context = nullptr;
    Device device = 0;
    uint32_t thread = 0;    // kPerThread: whose
    bool retained = false;  // the device's primary context, until destroy
    Users users;

    // What bind was told, and how the device sees it. Written by bind alone.
    std::atomic<uint32_t*> gate{nullptr};
    std::atomic<uint32_t*> progress{nullptr};
    std::atomic<DevicePtr> device_gate{};
    std::atomic<DevicePtr> device_progress{};
    std::atomic<uint32_t*> keep_alive{nullptr};
    std::atomic<DevicePtr> device_keep_alive{};
    std::atomic<uint32_t> epoch{0};
    std::atomic<bool> value_operations{false};
    std::atomic<bool> refused{false};  // a refusal has been logged
    // Set where the device does not wait on the slot's own word, but on this: level 2 then closes and opens it.
    std::atomic<uint64_t*> signal{nullptr};
    std::atomic<bool> closed{false};  // by level 2, whether or not there is a signal yet
    // Level 3, by the platform.
    bool interruptible = false;
    bool asks_interrupt = false;
    bool takes_off = false;     // and not only to be kept off
    uint32_t generation = 0;  // the process of a line of forks that made it
    EventRing events;
    HwQueue* next_spare = nullptr;
};

// The stream's context is current. `retain`: keep the device's primary context alive if that is it. nullptr: not a
// stream, or no memory.
HwQueue* make_hwqueue(const Api& api, StreamKind kind, Stream stream, Context context, bool retain);
const XqDeviceOps* ops_of(const HwQueue& hwq);

// The platform's level 3 (platform/<p>/hal/interrupt.cpp), which acts on more than a queue: when all have asked. False: there
// is none here, and one INFO line has said why.
bool join_interrupts(HwQueue& hwq);
void leave_interrupts(HwQueue& hwq);
// NotSupported: refused, the log has said why, and it is not tried again.
XResult interrupt(HwQueue& hwq, XqInterrupt how);
void restore(HwQueue& hwq);
// Where the platform has it (kHasTimeslices).
XResult set_timeslice(HwQueue& hwq, uint32_t us);

// Where the platform switches contexts (kSwitchesContexts; platform/<p>/hal/keep_alive.cpp): work that keeps the device. The stream
// may be used, its context is current.
Result prepare_keep_alive(const Api& api, Context context);
Result keep_alive(const Api& api, Context context, Stream stream, DevicePtr word, uint32_t number, int64_t ns);

}  // namespace xsched::stream
