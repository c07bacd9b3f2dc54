#include "platform/stream/hal/keep_alive_ops.h"

#include "base/log.h"
#include "platform/stream/hal/driver_use.h"
#include "platform/stream/hal/gates.h"
#include "platform/stream/hal/scratch.h"
#include "platform/stream/hal/stream_end.h"

namespace xsched::stream {
namespace {

// Decision 012.
constexpr int64_t kFollowedNs = 15'000;  // behind the program's next launch: further ones are on their way

// Finds our own stream in the queue's context, if it is idle. Returns false if there is none, or its work still waits
// for the device: more work would not help, and could fill the stream and block the agent.
bool find_idle_scratch(const HwQueue& hwq, Scratch* scratch) {
    return scratch_of(*hwq.api, hwq.context, scratch) && stream_is_idle(*hwq.api, scratch->stream);
}

// Sets a word by the smallest command that needs the compute engine (a value write does not). Uses a stream of our own
// in the same context, so no call of the program can block there.
XResult warm(void* self) {
    HwQueue& hwq = of(self);
    const DriverUse use(hwq, false);
    if (use.verdict() != kXSchedSuccess) return use.verdict();
    const RelaxedCapture relaxed(*hwq.api);
    Scratch scratch;
    if (!find_idle_scratch(hwq, &scratch)) return kXSchedErrorNotAllowed;
    return checked(hwq, kSetFunction, set_bytes(*hwq.api, scratch.stream, scratch.memory, kScratchBytes));
}

XResult prepare_to_keep_alive(void* self) {
    HwQueue& hwq = of(self);
    const DriverUse use(hwq, false);
    if (use.verdict() != kXSchedSuccess) return use.verdict();
    const RelaxedCapture relaxed(*hwq.api);
    Result code = kNotSupported;
    if constexpr (kSwitchesContexts) code = prepare_keep_alive(*hwq.api, hwq.context);
    if (code == kSuccess) return kXSchedSuccess;
    XLOG_DEBG("device %d: its queues cannot keep it through pauses: %s error %d (%s)", hwq.device, kVendor, code,
              error_name(*hwq.api, code));
    return kXSchedErrorNotSupported;
}

XResult begin_keep_alive(HwQueue& hwq, [[maybe_unused]] uint32_t number, [[maybe_unused]] int64_t ns) {
    const DriverUse use(hwq);
    if (use.verdict() != kXSchedSuccess) return use.verdict();
    if (use.capturing()) return kXSchedErrorNotAllowed;
    if (!words_in_place(hwq, use)) return kXSchedErrorNotSupported;
    [[maybe_unused]] const DevicePtr word = hwq.device_keep_alive.load(std::memory_order_relaxed);
    Result code = kNotSupported;
    if constexpr (kSwitchesContexts)
        code = keep_alive(*hwq.api, hwq.context, hwq.stream, word, number, ns, kFollowedNs);
    return code == kSuccess ? kXSchedSuccess : kXSchedErrorNotSupported;
}

XResult start_keep_alive(void* self, uint32_t number, int64_t ns, XqReturn when) {
    HwQueue& hwq = of(self);
    XResult result = kXSchedSuccess;
    Event end = when == kXqWhenComplete ? mark_end(hwq, &result) : nullptr;
    if (result == kXSchedSuccess) result = begin_keep_alive(hwq, number, ns);
    if (end == nullptr) return result;
    // If the event cannot be recorded or waited for, no failure is reported here: the program's own synchronizing
    // call, which this wait replaces, meets the same failure and reports it.
    if (result == kXSchedSuccess) return wait_for(hwq, end) == kSuccess ? kXSchedSuccess : kXSchedErrorHardware;
    event_destroy(*hwq.api, end);
    return result;
}

// Holds the device in a stream of our own beside the program's: on this thread it is not known what the program does in
// its streams.
XResult hold_device(void* self, [[maybe_unused]] uint32_t number, [[maybe_unused]] int64_t ns,
                    [[maybe_unused]] int64_t behind_ns) {
    HwQueue& hwq = of(self);
    const DriverUse use(hwq, false);
    if (use.verdict() != kXSchedSuccess) return use.verdict();
    const RelaxedCapture relaxed(*hwq.api);
    Scratch scratch;
    if (!words_hold(hwq) || !find_idle_scratch(hwq, &scratch)) return kXSchedErrorNotAllowed;
    [[maybe_unused]] const DevicePtr word = hwq.device_keep_alive.load(std::memory_order_relaxed);
    Result code = kNotSupported;
    if constexpr (kSwitchesContexts)
        code = keep_alive(*hwq.api, hwq.context, scratch.stream, word, number, ns, behind_ns);
    return code == kSuccess ? kXSchedSuccess : kXSchedErrorNotSupported;
}

XResult is_idle(void* self) {
    HwQueue& hwq = of(self);
    const DriverUse use(hwq);
    if (use.verdict() != kXSchedSuccess) return use.verdict();
    if (use.capturing()) return kXSchedErrorNotAllowed;
    return stream_is_idle(*hwq.api, hwq.stream) ? kXSchedSuccess : kXSchedErrorNotAllowed;
}

}  // namespace

constexpr XqKeepAliveOps kKeepAliveOps = {
    .warm = warm, .prepare = prepare_to_keep_alive, .start = start_keep_alive, .hold = hold_device, .is_idle = is_idle};

}  // namespace xsched::stream
