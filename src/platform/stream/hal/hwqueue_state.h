// The state of one stream (hwqueue.h). The members say who may change them.
#pragma once

#include <atomic>

#include "platform/stream/hal/event_ring.h"
#include "platform/stream/hal/hardware_use.h"
#include "platform/stream/hal/interruptible.h"
#include "platform/stream/hal/places.h"
#include "platform/stream/hal/stream_id.h"
#include "platform/stream/hal/users.h"
#include "vendor.h"

namespace xsched::stream {

// The state of a stream. Never freed, so that a thread with a pointer to an ended one reads valid memory. Reused for
// another stream as late as possible.
struct HwQueue : Interruptible {
    const Api* api = nullptr;
    StreamKind kind = StreamKind::kOrdinary;
    Stream stream = nullptr;  // as functions without a per-thread suffix know it
    Context context = nullptr;
    Device device = 0;
    uint32_t thread = 0;    // kPerThread: whose
    bool retained = false;  // the device's primary context, until destroy
    Users users;

    // The arguments of bind, and their device addresses. Only bind writes them.
    std::atomic<uint32_t*> gate{nullptr};
    std::atomic<uint32_t*> progress{nullptr};
    std::atomic<DevicePtr> device_gate{};
    std::atomic<DevicePtr> device_progress{};
    std::atomic<uint32_t*> keep_alive{nullptr};
    std::atomic<DevicePtr> device_keep_alive{};
    std::atomic<uint32_t> epoch{0};
    std::atomic<bool> value_operations{false};
    std::atomic<bool> refused{false};  // a refusal has been logged
    // Set if the device cannot wait on the slot's own word: the signal that level 2 closes and opens instead.
    std::atomic<uint64_t*> signal{nullptr};
    std::atomic<uint32_t> signal_resets{0};  // how often its device had been reset when the signal was made
    std::atomic<bool> closed{false};  // by level 2, whether or not there is a signal yet
    bool pauses = false;  // level 2 pauses its device
    bool asks_pause = false;
    HwQueue* next_interruptible = nullptr;
    uint32_t generation = 0;  // the process of a line of forks that made it
    std::atomic<const HardwareUse*> hardware{nullptr};  // the shim's, where the platform can tell; until destroy
    Places places;
    EventRing events;
    HwQueue* next_spare = nullptr;
};

// Returns the queue behind `self` in the operations' tables.
inline HwQueue& of(void* self) { return *static_cast<HwQueue*>(self); }

}  // namespace xsched::stream
