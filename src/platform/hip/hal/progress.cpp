// How far the device is with a stream, from the read index of its hardware queue: with no call and no packet of ours.
//
// The device takes a packet as it starts, or once it is complete: that differs (docs/hip-design.md). A stream's packets
// wait for those before them. So of what is taken all but the last is complete, and the last runs or is complete.
#include "platform/stream/hal/progress.h"

#include "platform/hip/hal/hsa_observer.h"

namespace xsched::stream {

XResult note_place(HwQueue& hwq, uint32_t value) {
    const HardwareUse* use = hwq.hardware.load(std::memory_order_acquire);
    const uint32_t number = use != nullptr ? use->main.load(std::memory_order_relaxed) : 0;
    uint64_t written = 0;
    uint64_t read = 0;
    // A position in one hardware queue does not tell the progress of work that is also in other queues, or of a stream
    // that may move between queues.
    if (number == 0 || use->uses_others() || xhip_streams_move() || !hip::indices_of(number, &written, &read))
        return kXSchedErrorNotSupported;
    return hwq.places.note(value, number, written) ? kXSchedSuccess : kXSchedErrorNotSupported;
}

XResult look(HwQueue& hwq, uint32_t* complete, uint32_t* begun) {
    const uint32_t number = hwq.places.queue();
    uint64_t written = 0;
    uint64_t read = 0;
    if (number == 0 || !hip::indices_of(number, &written, &read) || !hwq.places.taken(number, read, begun))
        return kXSchedErrorNotSupported;
    *complete = *begun - 1;
    return kXSchedSuccess;
}

}  // namespace xsched::stream
