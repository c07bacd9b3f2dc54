#include "platform/vulkan/hal/hwqueue.h"

#include <sched.h>

#include <new>

#include "base/clock.h"
#include "base/fork.h"
#include "base/log.h"
#include "platform/nvidia/hal/costs.h"

namespace xsched::vulkan {
namespace {

// How often an unfollowed queue is looked at. No other program waits for what is found: judgement.
constexpr int64_t kLookNs = 2 * base::kMillisecond;
// After this many looks without a command the thread sleeps until the next one. A program that launches more often than
// that never pays for a wake-up: judgement.
constexpr uint32_t kLooksBeforeSleep = 16;
// Bounds each wait in the driver, so that the thread sees the end of the device: safety.
constexpr int64_t kMostWaitNs = 100 * base::kMillisecond;
constexpr uint64_t kEverything = UINT64_MAX;

}  // namespace

HwQueue* HwQueue::create(const XvkDevice& device, VkQueue queue) {
    auto* made = new (std::nothrow) HwQueue(device, queue);
    if (made == nullptr) return nullptr;
    made->done_ = make_timeline(device);
    made->generation_ = base::fork_generation();
    if (!made->gate_.begin() || made->done_ == VK_NULL_HANDLE ||
        !made->thread_.start("xsched-vulkan", watch_body, made)) {
        delete made;
        return nullptr;
    }
    made->interruption_.begin(device);
    return made;
}

XvkOperation HwQueue::next_signal() { return {done_, signals_.fetch_add(1, std::memory_order_relaxed) + 1}; }

void HwQueue::launched(uint64_t value, XqToken token) {
    launched_.store(value);
    if (ended_.load() || !reports_.add(value, token)) return xq_complete(token);
    if (asleep_.load()) {
        wake_.fetch_add(1);
        base::futex_wake_all(wake_);
    }
    look();
}

// A device that is lost reports everything.
void HwQueue::look() {
    if (reports_.oldest() == 0) return;
    uint64_t value = kEverything;
    looking_.fetch_add(1);
    if (!ended_.load() && device_.api.vkGetSemaphoreCounterValue(device_.device, done_, &value) != VK_SUCCESS)
        value = kEverything;
    looking_.fetch_sub(1);
    while (const XqToken token = reports_.take(value)) xq_complete(token);
}

// Returns false if the device is lost.
bool HwQueue::wait_for(uint64_t value, int64_t patience_ns) {
    VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
    info.semaphoreCount = 1;
    info.pSemaphores = &done_;
    info.pValues = &value;
    looking_.fetch_add(1);
    const VkResult result =
        ended_.load() ? VK_SUCCESS
                      : device_.api.vkWaitSemaphores(device_.device, &info, static_cast<uint64_t>(patience_ns));
    looking_.fetch_sub(1);
    return result == VK_SUCCESS || result == VK_TIMEOUT;
}

XResult HwQueue::synchronize() {
    const uint64_t until = launched_.load();
    uint64_t value = 0;
    while (!ended_.load() && value < until) {
        if (!wait_for(until, kMostWaitNs)) return kXSchedErrorHardware;
        if (device_.api.vkGetSemaphoreCounterValue(device_.device, done_, &value) != VK_SUCCESS)
            return kXSchedErrorHardware;
    }
    look();
    return kXSchedSuccess;
}

bool HwQueue::followed() {
    XqQueue* xqueue = xqueue_.load(std::memory_order_acquire);
    return xqueue != nullptr && xq_is_followed(xqueue);
}

void* HwQueue::watch_body(void* self) {
    static_cast<HwQueue*>(self)->watch();
    return nullptr;
}

void HwQueue::watch() {
    uint32_t idle_looks = 0;
    while (!ended_.load()) {
        const uint32_t seen = wake_.load();
        const uint64_t oldest = reports_.oldest();
        const bool is_followed = followed();
        if (oldest == 0 && (is_followed || ++idle_looks > kLooksBeforeSleep)) {
            sleep_until_launched(seen);
            idle_looks = 0;
            continue;
        }
        if (oldest != 0) idle_looks = 0;
        if (oldest == 0 || !is_followed || !wait_for(oldest, kMostWaitNs)) base::futex_wait(wake_, seen, kLookNs);
        look();
    }
}

void HwQueue::sleep_until_launched(uint32_t seen) {
    asleep_.store(true);
    if (reports_.oldest() == 0 && !ended_.load()) base::futex_wait(wake_, seen);
    asleep_.store(false);
}

void HwQueue::end() {
    if (ended_.exchange(true)) return;
    interruption_.end();
    wake_.fetch_add(1);
    base::futex_wake_all(wake_);
    if (generation_ == base::fork_generation()) thread_.join();  // a forked child has no such thread
    while (looking_.load() != 0) sched_yield();
    while (const XqToken token = reports_.take(kEverything)) xq_complete(token);
    gate_.end();
    if (done_ != VK_NULL_HANDLE) device_.api.vkDestroySemaphore(device_.device, done_, nullptr);
}

namespace {

HwQueue& of(void* hwq) { return *static_cast<HwQueue*>(hwq); }

void* hold_create(void* self) {
    Gate& gate = of(self).gate();
    return new (std::nothrow) Hold{&gate, gate.next()};
}

void hold_open(void*, void* hold) {
    const auto* opened = static_cast<Hold*>(hold);
    opened->gate->open(opened->value);
}

void hold_destroy(void*, void* hold) { delete static_cast<Hold*>(hold); }

XResult mark(void* self, XqToken token) {
    of(self).mark(token);
    return kXSchedSuccess;
}

XResult synchronize(void* self) { return of(self).synchronize(); }

void destroy(void* self) { delete &of(self); }

constexpr XqHoldOps kHolds = {.create = hold_create, .open = hold_open, .drop = hold_open, .destroy = hold_destroy};

constexpr XqStopOps kStop = {
    .interrupt = [](void* self, XqInterrupt how) { return of(self).interruption().interrupt(how); },
    .restore = [](void* self) { return of(self).interruption().restore(); },
    .state = [](void* self) { return of(self).interruption().state(); },
    .set_timeslice = [](void* self, uint32_t us) { return of(self).interruption().set_timeslice(us); }};

constexpr XqDeviceOps make_ops(bool interrupts) {
    XqDeviceOps ops{};
    ops.abi = XQ_DEVICE_ABI;
    ops.levels = 1u << kPreemptLevelBlock;
    ops.platform = kPlatformVulkan;
    ops.order = kXqInOrder;
    ops.hold = &kHolds;
    ops.mark = mark;
    ops.synchronize = synchronize;
    ops.destroy = destroy;
    if (!interrupts) return ops;
    ops.levels |= 1u << kPreemptLevelInterrupt;
    ops.stop = &kStop;
    ops.costs = nvidia::kCosts;
    return ops;
}
constexpr XqDeviceOps kBlocked = make_ops(false);
constexpr XqDeviceOps kInterrupted = make_ops(true);

}  // namespace

const XqDeviceOps* device_ops(HwQueue& hwq) { return hwq.interruption().possible() ? &kInterrupted : &kBlocked; }

}  // namespace xsched::vulkan
