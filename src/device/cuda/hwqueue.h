// The CUDA side of an XQueue: what device.h asks of a throttled device, with stream wait-values as gates and stream
// write-values as progress. Level 2 where the driver has both, else level 1; level 3 by its channels (interrupt.h).
#pragma once

#include <atomic>

#include "device/cuda/cuda_api.h"
#include "device/cuda/driver_use.h"
#include "device/cuda/event_ring.h"
#include "device/cuda/stream_id.h"
#include "queue/device.h"

namespace xsched::cuda {

// Never freed, so that a thread that still holds a pointer to an ended one reads valid memory; used again for another
// stream as late as possible.
struct HwQueue {
    const CuApi* api = nullptr;
    StreamKind kind = StreamKind::kOrdinary;
    CUstream stream = nullptr;  // as functions without _ptsz know it
    CUcontext context = nullptr;
    CUdevice device = 0;
    uint32_t thread = 0;        // kPerThread: whose
    bool retained = false;      // the device's primary context, until destroy
    Users users;

    // What bind was told, and how the device sees it. Written by bind alone.
    std::atomic<uint32_t*> gate{nullptr};
    std::atomic<uint32_t*> progress{nullptr};
    std::atomic<CUdeviceptr> device_gate{0};
    std::atomic<CUdeviceptr> device_progress{0};
    std::atomic<uint32_t> epoch{0};
    std::atomic<bool> value_operations{false};
    std::atomic<bool> refused{false};  // a refusal has been logged
    // interrupt.h; under the lock of its GPU.
    bool interruptible = false;
    bool asks_interrupt = false;
    EventRing events;
    HwQueue* next_spare = nullptr;
};

// The stream's context is current. `retain`: keep the device's primary context alive if that is it. nullptr: not a
// stream, or no memory.
HwQueue* make_hwqueue(const CuApi& api, StreamKind kind, CUstream stream, CUcontext context, bool retain);
const XqDeviceOps* ops_of(const HwQueue& hwq);

}  // namespace xsched::cuda
