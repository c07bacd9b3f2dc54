// The public C functions of xsched/xqueue.h, and the queues that shims make by themselves.
#include <bit>

#include "agent/agent.h"
#include "agent/hint_api.h"
#include "agent/state.h"
#include "base/log.h"
#include "base/options.h"
#include "ipc/slot_hints.h"
#include "queue/abi/abi_pointer.h"
#include "queue/abi/queue_abi.h"
#include "queue/command.h"
#include "queue/device_names.h"
#include "queue/hw_queue.h"
#include "queue/pool.h"
#include "xsched/xsched.h"

namespace xsched::agent {
namespace {

using queue::HwQueue;
using queue::XQueue;

// Returns the level to use: the wanted one, or the highest that the hardware supports. Returns 0 if the wanted level is
// not supported.
uint32_t choose_level(uint32_t supported, int64_t wanted) {
    if (wanted == kPreemptLevelUnknown) return static_cast<uint32_t>(std::bit_width(supported)) - 1;
    return (supported & (1u << wanted)) != 0 ? static_cast<uint32_t>(wanted) : 0;
}

constexpr const char* kLevelNames[] = {"none", "1 (block)", "2 (deactivate)", "3 (interrupt)"};

void report_level(const XQueue& queue, uint32_t level, XPlatform platform) {
    static std::atomic<uint32_t> said{0};  // one bit per platform and level that the log has told: telling each once at
                                           // INFO is enough
    const uint32_t bit = 1u << ((static_cast<uint32_t>(platform) * 4 + level) & 31);
    const bool first = (said.fetch_or(bit) & bit) == 0;
    XSCHED_LOG(first ? base::LogLevel::kInfo : base::LogLevel::kDebug, "queue 0x%lx uses preempt level %s",
               static_cast<unsigned long>(queue.handle()), kLevelNames[level]);
}

// Applies the hints that a person or a rule gave for this process's queues before the process made any.
void take_defaults(const ipc::Header& header, queue::Setup& setup) {
    base::Hints hints = ipc::by_server_time(header, setup);
    ipc::take_defaults(header, hints, told_hints());
    static_cast<base::Hints&>(setup) = ipc::by_own_time(header, hints);
    const uint32_t level = header.default_level.load(std::memory_order_relaxed);
    if (level != 0 && level <= kPreemptLevelInterrupt && (setup.ops->levels & 1U << level) != 0) {
        setup.level = level;
        setup.level_chosen = true;
    }
    if (const uint32_t threshold = header.default_threshold.load(std::memory_order_relaxed); threshold != 0)
        setup.threshold = threshold;
    if (const uint32_t batch_size = header.default_batch_size.load(std::memory_order_relaxed); batch_size != 0)
        setup.batch_size = batch_size;
}

// Contexts are heap objects of the vendor's library, so their addresses are multiples of 16. Dropping these bits lets
// 32 bits tell contexts apart.
constexpr unsigned kContextAlignmentBits = 4;

uint64_t words_owner(const HwQueue& device) {
    const XqGateOps* gate = device.ops->gate;
    return gate != nullptr && gate->words_owner != nullptr ? gate->words_owner(device.impl) : 0;
}

XResult make_queue(HwQueueHandle hwq, int64_t wanted_level, queue::Setup& setup, XQueue** made) {
    HwQueue device;
    if (!queue::find_hw_queue(hwq, &device)) return kXSchedErrorNotFound;
    if (queue::queue_of_hwq(hwq) != nullptr) return kXSchedErrorNotAllowed;
    setup.level = choose_level(device.ops->levels, wanted_level);
    if (setup.level == 0) return kXSchedErrorNotSupported;
    ensure_started();
    const uint64_t context = words_owner(device);
    XQueue* queue = queue::take_from_pool(context);
    if (queue == nullptr) return kXSchedErrorNotAllowed;
    const queue::Placement place = placement(queue->index());
    if (place.header == nullptr) {
        queue->give_back();
        return kXSchedErrorUnknown;
    }
    setup.level_chosen = wanted_level != kPreemptLevelUnknown;
    setup.ops = device.ops;
    setup.impl = device.impl;
    setup.hwq = hwq;
    setup.vendor = device.vendor;
    setup.device = device.device;
    setup.context = static_cast<uint32_t>(context >> kContextAlignmentBits);
    take_defaults(*place.header, setup);
    queue::publish_device_names(*place.header);
    queue->begin(setup, place);
    // While the queue was set up, the process may have found or lost its server. The queue then publishes its state in
    // the memory that the process's other queues use now.
    if (const queue::Placement now = placement(queue->index()); now.slot != place.slot) queue->attach(now);
    report_level(*queue, setup.level, device.ops->platform);
    *made = queue;
    return kXSchedSuccess;
}

queue::Setup setup_from_environment() {
    const base::Options& options = base::options();
    queue::Setup setup;
    setup.threshold = static_cast<uint32_t>(options.threshold);
    setup.batch_size = static_cast<uint32_t>(options.batch_size);
    static_cast<base::Hints&>(setup) = hints_of_new_queues();
    return setup;
}

// Finds the queue with this handle and calls `act` with it.
template <typename Act>
XResult with_queue(XQueueHandle handle, Act act) {
    XQueue* queue = queue::queue_from_handle(handle);
    return queue != nullptr ? act(*queue) : kXSchedErrorNotFound;
}

// Replaces MaskAll (-1) by all known flags. Returns whether every flag is known.
bool take_flags(int64_t* flags, int64_t known) {
    if (*flags == -1) *flags = known;
    return (*flags & ~known) == 0;
}

// Returns whether the queue's device waits at gates: such a device cannot hand launched work back.
bool gated(const XQueue& queue) {
    HwQueue device;
    return queue::find_hw_queue(queue.hwq(), &device) && device.ops->gate != nullptr;
}

}  // namespace
}  // namespace xsched::agent

using namespace xsched;
using queue::XQueue;

void xq_begin(bool errands) {
    if (base::options().auto_xqueue_on) agent::ensure_started(errands);
}

XqQueue* xq_auto_create(HwQueueHandle handle, Priority vendor_priority) {
    const base::Options& options = base::options();
    if (!options.auto_xqueue_on) return nullptr;
    if (const XQueue* existing = queue::queue_of_hwq(handle)) return queue::abi_pointer(*existing);
    queue::Setup setup = agent::setup_from_environment();
    if (setup.priority == PRIORITY_DEFAULT && base::hint_info(base::HintId::priority).accepts(vendor_priority))
        setup.priority = vendor_priority;
    XQueue* made = nullptr;
    int64_t level = options.level;
    XResult result = agent::make_queue(handle, level, setup, &made);
    while (result == kXSchedErrorNotSupported && level > kPreemptLevelBlock)
        result = agent::make_queue(handle, --level, setup, &made);
    if (level != options.level)
        XLOG_WARN("preempt level %ld (--level, XSCHED_AUTO_XQUEUE_LEVEL): this queue lacks it; it has level %ld",
                  static_cast<long>(options.level), static_cast<long>(level));
    if (result == kXSchedSuccess) return queue::abi_pointer(*made);
    static std::atomic<bool> complained{false};
    if (!complained.exchange(true))
        XLOG_WARN("a queue goes unscheduled (status %d): more than %u queues in this process, or no memory",
                  static_cast<int>(result), ipc::kMostQueues);
    return nullptr;
}

XResult XQueueCreate(XQueueHandle* xq, HwQueueHandle hwq, int64_t level, int64_t flags) {
    if (xq == nullptr || level < kPreemptLevelUnknown || level > kPreemptLevelInterrupt ||
        !agent::take_flags(&flags, kQueueCreateFlagBlockingSubmit))
        return kXSchedErrorInvalidValue;
    queue::Setup setup = agent::setup_from_environment();
    setup.flags = static_cast<uint32_t>(flags);
    XQueue* made = nullptr;
    const XResult result = agent::make_queue(hwq, level, setup, &made);
    if (result == kXSchedSuccess) *xq = made->handle();
    return result;
}

XResult XQueueDestroy(XQueueHandle xq) {
    return agent::with_queue(xq, [](XQueue& queue) {
        queue.resume(kQueueResumeFlagNone);
        const XResult result = queue.wait_all(queue::Completion::kDone);
        queue.leave_device();
        queue.retire(kXqLastReport);
        return result;
    });
}

XResult XQueueGet(XQueueHandle* xq, HwQueueHandle hwq) {
    if (xq == nullptr) return kXSchedErrorInvalidValue;
    const XQueue* queue = queue::queue_of_hwq(hwq);
    *xq = queue != nullptr ? queue->handle() : 0;
    return queue != nullptr ? kXSchedSuccess : kXSchedErrorNotFound;
}

XResult XQueueSetPreemptLevel(XQueueHandle xq, int64_t level) {
    if (level < kPreemptLevelBlock || level > kPreemptLevelInterrupt) return kXSchedErrorInvalidValue;
    return agent::with_queue(xq, [=](XQueue& queue) { return queue.set_level(static_cast<uint32_t>(level)); });
}

XResult XQueueSetLaunchConfig(XQueueHandle xq, int64_t threshold, int64_t batch_size) {
    return agent::with_queue(xq, [=](XQueue& queue) { return queue.set_launch_config(threshold, batch_size); });
}

XResult XQueueSubmit(XQueueHandle xq, HwCommandHandle hw_cmd) {
    return agent::with_queue(xq, [=](XQueue& queue) { return queue::submit_command(queue, hw_cmd); });
}

XResult XQueueWait(XQueueHandle xq, HwCommandHandle hw_cmd) {
    return agent::with_queue(xq, [=](XQueue& queue) { return queue::wait_command(queue, hw_cmd); });
}

XResult XQueueWaitAll(XQueueHandle xq) {
    return agent::with_queue(xq, [](XQueue& queue) { return queue.wait_all(); });
}

XResult XQueueQuery(XQueueHandle xq, XQueueState* state) {
    if (state == nullptr) return kXSchedErrorInvalidValue;
    return agent::with_queue(xq, [=](XQueue& queue) {
        queue.report_all();
        *state = queue.ready() ? kQueueStateReady : kQueueStateIdle;
        return kXSchedSuccess;
    });
}

XResult XQueueSuspend(XQueueHandle xq, int64_t flags) {
    constexpr int64_t kKnown = kQueueSuspendFlagSyncHwQueue | kQueueSuspendFlagWaitAll | kQueueSuspendFlagWaitIdle;
    if (!agent::take_flags(&flags, kKnown)) return kXSchedErrorInvalidValue;
    return agent::with_queue(xq, [=](XQueue& queue) { return queue.suspend(flags); });
}

XResult XQueueResume(XQueueHandle xq, int64_t flags) {
    if (!agent::take_flags(&flags, kQueueResumeFlagDropCommands)) return kXSchedErrorInvalidValue;
    return agent::with_queue(xq, [=](XQueue& queue) {
        const bool too_late = (flags & kQueueResumeFlagDropCommands) != 0 && agent::gated(queue) && queue.ready();
        const XResult result = queue.resume(flags);
        return result == kXSchedSuccess && too_late ? kXSchedErrorNotSupported : result;
    });
}

XResult XQueueProfileHwCommandCount(XQueueHandle xq, int64_t* count) {
    if (count == nullptr) return kXSchedErrorInvalidValue;
    return agent::with_queue(xq, [=](XQueue& queue) {
        *count = queue.submitted();
        return kXSchedSuccess;
    });
}

XResult HwQueueDestroy(HwQueueHandle hwq) {
    queue::HwQueue device;
    if (!queue::find_hw_queue(hwq, &device)) return kXSchedErrorNotFound;
    if (queue::queue_of_hwq(hwq) != nullptr) return kXSchedErrorNotAllowed;
    queue::forget_hw_queue(hwq);
    if (device.ops->destroy != nullptr) device.ops->destroy(device.impl);
    return kXSchedSuccess;
}

XResult HwQueueLaunch(HwQueueHandle hwq, HwCommandHandle hw_cmd) { return queue::launch_command(hwq, hw_cmd); }

XResult HwQueueSynchronize(HwQueueHandle hwq) {
    queue::HwQueue device;
    if (!queue::find_hw_queue(hwq, &device)) return kXSchedErrorNotFound;
    return device.ops->synchronize != nullptr ? device.ops->synchronize(device.impl) : kXSchedErrorNotSupported;
}

XResult HwCommandCreateCallback(HwCommandHandle* hw_cmd, LaunchCallback launch, void* data) {
    return queue::create_callback_command(hw_cmd, launch, data);
}

XResult HwCommandDestroy(HwCommandHandle hw_cmd) { return queue::destroy_command(hw_cmd); }
