// The shim's record of one stream (streams.h says how long an entry lives).
#pragma once

#include <atomic>

#include "base/futex.h"
#include "platform/stream/hal/hardware_use.h"
#include "platform/stream/hal/stream_id.h"
#include "queue/abi/queue_abi.h"
#include "vendor.h"

namespace xsched::stream {

struct StreamEntry {
    base::FutexWord state{0};              // see streams.cpp
    std::atomic<XqQueue*> xqueue{nullptr};  // nullptr: not scheduled (any more)
    std::atomic<XQueueHandle> handle{0};   // the XQueue's
    std::atomic<uint32_t> serial{0};       // raised when the entry's stream or XQueue goes
    std::atomic<Context> context{nullptr};
    std::atomic<StreamKind> kind{StreamKind::kOrdinary};
    std::atomic<Stream> stream{nullptr};
    std::atomic<bool> blocking{false};     // waits for the legacy default stream, and it for this one
    std::atomic<int32_t> priority{0};      // the stream's own, larger is more urgent
    std::atomic<uint32_t> looks{0};        // launches beside other queues, see depend_implicitly
    HardwareUse hardware;                  // where the platform can tell
    std::atomic<bool> cooperative{false};  // it has launched cooperative kernels, which have a queue of their own
    StreamEntry* next = nullptr;           // all entries ever made; written before it is published
    StreamEntry* next_spare = nullptr;
};

}  // namespace xsched::stream
