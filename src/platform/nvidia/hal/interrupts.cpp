#include "platform/nvidia/hal/interrupts.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <new>
#include <utility>

#include "base/clock.h"
#include "base/fork.h"
#include "base/log.h"
#include "base/mutex.h"
#include "platform/nvidia/hal/channel_record.h"
#include "platform/nvidia/hal/gpu_channels.h"
#include "queue/abi/queue_abi.h"

namespace xsched::nvidia {
namespace {

constexpr int kMostGpus = 32;
// Within this time after the process's channels were read, they are not read again: when a process stops, each of its
// queues asks for them.
constexpr int64_t kOneCallNs = 10 * base::kMillisecond;  // judgement

constinit base::Mutex g_interrupt_mutex;  // guards the making of Gpus
constinit std::atomic<Gpu*> g_gpus[kMostGpus] = {};
constinit std::atomic<int32_t> g_stopped{0};  // GPUs
constinit std::atomic<int32_t> g_freeing{0};  // calls on their way that free recorded objects

// Locks a GPU's state. In a forked child it first forgets the parent's channels, which the child must not touch.
class Turn {
public:
    explicit Turn(Gpu& gpu) : lock_(gpu.turn) {
        if (gpu.generation == base::fork_generation()) return;
        gpu.generation = base::fork_generation();
        if (gpu.stopped) g_stopped.fetch_sub(1, std::memory_order_acq_rel);
        gpu.stopped = gpu.known = false;
        gpu.too_many.store(false, std::memory_order_release);
        gpu.stop_number.store(0, std::memory_order_release);
        gpu.timeslice_us = gpu.set_count = 0;
    }

private:
    base::Lock lock_;
};

void say_refused(const Gpu& gpu, const char* why) {
    XLOG_INFO("no preempt level 3 on %s: %s; its streams use level 2 or 1", gpu.name, why);
}

Gpu* gpu_of(const stream::Interruptible& queue) { return queue.interruptible ? static_cast<Gpu*>(queue.gpu) : nullptr; }

// Returns the GPU's state, made at the first call. nullptr: there are too many GPUs, or no memory.
Gpu* make_gpu(XDevice identity, const char* name) {
    base::Lock lock(g_interrupt_mutex);
    for (std::atomic<Gpu*>& place : g_gpus) {
        if (Gpu* gpu = place.load(std::memory_order_acquire)) {
            if (gpu->identity == identity) return gpu;
            continue;
        }
        auto* gpu = new (std::nothrow) Gpu;
        if (gpu == nullptr) return nullptr;
        gpu->identity = identity;
        std::snprintf(gpu->name, sizeof gpu->name, "%s", name);
        gpu->undo = restore_everything;
        gpu->generation = base::fork_generation();
        place.store(gpu, std::memory_order_release);
        return gpu;
    }
    return nullptr;
}

// Returns why level 3 is not possible; nullptr: it is. gpu.turn held.
const char* objection(Gpu& gpu, bool shared) {
    if (driver_call() == nullptr)
        return "its calls to the kernel driver are not seen (the shim must be preloaded; WSL has no such calls)";
    refresh(gpu);
    if (shared) return "under MPS all programs share one context, which would be stopped for all of them";
    if (record_incomplete()) return "there was no memory to keep track of its channels";
    if (gpu.set_count == 0 && !gpu.too_many)
        return "this process has no channels of its own there (MPS, or another way to the driver)";
    for (uint32_t i = 0; i < gpu.set_count; ++i)
        if (!rm::is_control_device(gpu.sets[i].fd)) return "the kernel driver's descriptor is gone";
    return nullptr;
}

// Enables the channels a second time. The driver counts disablings, and xserver may have made one for this process;
// enabling a channel that runs is not counted. gpu.turn held.
void enable_once_more(Gpu& gpu) {
    gpu.enabled_ns = base::now_ns();
    for (uint32_t i = 0; i < gpu.set_count; ++i) rm::enable(driver_call(), gpu.sets[i].fd, gpu.sets[i].set);
}

// Makes the device notice enabled channels, by a call that sets a timeslice (docs/decisions/010). gpu.turn held.
void look_anew(Gpu& gpu) {
    for (uint32_t i = 0; i < gpu.set_count; ++i)
        rm::set_timeslices(driver_call(), gpu.sets[i].fd, gpu.sets[i].set, gpu.timeslice_us);
}

// gpu.turn held.
void let_go(Gpu& gpu) {
    if (!gpu.stopped) return;
    gpu.stop_number.store(0, std::memory_order_seq_cst);  // before anything goes on
    const int64_t began = base::now_ns();
    for (uint32_t i = 0; i < gpu.set_count; ++i) {
        const rm::Outcome outcome = rm::enable(driver_call(), gpu.sets[i].fd, gpu.sets[i].set);
        if (!outcome.good())
            XLOG_WARN("%s: channels could not be enabled again: %s (errno %d, status 0x%x)", gpu.name,
                      rm::sentence(outcome), outcome.error, outcome.status);
    }
    // If the channels were only kept off, the device may miss the call that enables them. So a second call follows, at
    // once or a moment later.
    if (gpu.kept_off) enable_once_more(gpu);
    gpu.stopped = false;
    gpu.enabled_ns = base::now_ns();
    gpu.once_more = gpu.kept_off;
    gpu.calls.add_on(gpu.enabled_ns - began);
    gpu.calls_us.store(gpu.calls.both_us(), std::memory_order_relaxed);
    g_stopped.fetch_sub(1, std::memory_order_acq_rel);
    XLOG_DEBG("%s: channels enabled in %lld us", gpu.name,
              static_cast<long long>((gpu.enabled_ns - began) / base::kMicrosecond));
}

// Notes that the queue asks for the stop, or no longer does. gpu.turn held.
void ask(Gpu& gpu, stream::Interruptible& queue, bool asks, bool takes) {
    if (queue.asks_interrupt) --gpu.asking;
    if (queue.asks_interrupt && queue.takes_off) --gpu.taking;
    queue.asks_interrupt = asks;
    queue.takes_off = takes;
    if (asks) ++gpu.asking;
    if (asks && takes) ++gpu.taking;
}

// Stops the channels. With a short timeslice the hardware preempts the process as soon as another one has work; then it
// only has to be kept from coming back. Returns NotAllowed if the channels are not known or too many, and NotSupported
// if the driver refuses. gpu.turn held.
XResult stop(Gpu& gpu) {
    refresh(gpu);
    if (gpu.too_many || gpu.set_count == 0) return kXSchedErrorNotAllowed;
    const uint32_t own_us = gpu.sets[0].set.timeslices_us[0];  // the driver's; 0: not known
    const bool is_short = gpu.timeslice_us != 0 && (own_us == 0 || gpu.timeslice_us < own_us);
    const bool keeps_off = gpu.taking == 0 && is_short;
    const int64_t began = base::now_ns();
    uint32_t channels = 0;
    for (uint32_t i = 0; i < gpu.set_count; ++i) {
        const rm::Outcome outcome = rm::disable(driver_call(), gpu.sets[i].fd, gpu.sets[i].set, keeps_off);
        channels += gpu.sets[i].set.channel_count;
        if (outcome.good()) continue;
        for (uint32_t done = 0; done < i; ++done) rm::enable(driver_call(), gpu.sets[done].fd, gpu.sets[done].set);
        if (!gpu.refused.exchange(true)) say_refused(gpu, rm::sentence(outcome));
        XLOG_DEBG("%s: disabling %u channels: errno %d, status 0x%x", gpu.name, gpu.sets[i].set.channel_count,
                  outcome.error, outcome.status);
        return kXSchedErrorNotSupported;
    }
    gpu.stopped = true;
    gpu.stops = gpu.stops + 1 != 0 ? gpu.stops + 1 : 1;
    gpu.stop_number.store(gpu.stops, std::memory_order_release);
    gpu.once_more = false;
    gpu.kept_off = keeps_off;
    g_stopped.fetch_add(1, std::memory_order_acq_rel);
    const int64_t took_ns = base::now_ns() - began;
    // A call that takes off returns when the running workgroups have ended. The process has the device until then, so
    // that time is no cost of the call.
    if (keeps_off || !gpu.whole_workgroups) gpu.calls.add_off(took_ns);
    XLOG_DEBG("%s: %u channels %s in %lld us", gpu.name, channels, keeps_off ? "kept off" : "disabled",
              static_cast<long long>(took_ns / base::kMicrosecond));
    return kXSchedSuccess;
}

}  // namespace

void let_everything_run() {
    for (const std::atomic<Gpu*>& place : g_gpus) {
        Gpu* gpu = place.load(std::memory_order_acquire);
        if (gpu == nullptr) continue;
        const Turn turn(*gpu);
        if (!gpu->stopped) continue;
        let_go(*gpu);
        enable_once_more(*gpu);
    }
}

void swapchains_made(int change) {
    note_swapchains(change);
    for (const std::atomic<Gpu*>& place : g_gpus) {
        Gpu* gpu = place.load(std::memory_order_acquire);
        if (gpu == nullptr) continue;
        const Turn turn(*gpu);
        let_go(*gpu);
        if (gpu->queues != 0 && !gpu->refused.load(std::memory_order_acquire)) refresh(*gpu);
    }
}

void restore_everything() {
    for (const std::atomic<Gpu*>& place : g_gpus) {
        Gpu* gpu = place.load(std::memory_order_acquire);
        if (gpu == nullptr || driver_call() == nullptr) continue;
        const Turn turn(*gpu);
        if (gpu->refused.load(std::memory_order_acquire) && !gpu->stopped && !gpu->shared) continue;
        let_go(*gpu);
        if (!gpu->shared) enable_once_more(*gpu);
        for (uint32_t i = 0; i < gpu->set_count; ++i)
            rm::set_timeslices(driver_call(), gpu->sets[i].fd, gpu->sets[i].set, 0);
        gpu->timeslice_us = 0;
    }
}

// Reads the GPUs' channels again if a call may have made them too many for level 3, or few enough. Level 3 then pauses
// or acts again at once. The scheduler would not cause this: it asks no interrupt of a process for which level 3
// pauses.
void settle_pauses() {
    const bool many = record_is_large();
    for (const std::atomic<Gpu*>& place : g_gpus) {
        Gpu* gpu = place.load(std::memory_order_acquire);
        if (gpu == nullptr || (!many && !gpu->too_many.load(std::memory_order_acquire))) continue;
        const Turn turn(*gpu);
        if (gpu->queues != 0 && !gpu->refused.load(std::memory_order_acquire)) refresh(*gpu);
    }
}

int pass_ioctl(int fd, unsigned long request, void* argument, rm::Ioctl next) {
    note_driver_call(next);
    const bool frees = frees_recorded(request, argument);
    if (frees) {
        g_freeing.fetch_add(1, std::memory_order_acq_rel);
        // If a disabled channel is freed, the driver may wait forever for the channel's work. So all channels are
        // enabled first.
        if (g_stopped.load(std::memory_order_acquire) > 0) let_everything_run();
    }
    const int result = next(fd, request, argument);
    const int saved = errno;
    record_call(fd, request, argument, result);
    if (frees) g_freeing.fetch_sub(1, std::memory_order_acq_rel);
    settle_pauses();
    errno = saved;
    return result;
}

bool join(stream::Interruptible& queue, const Joining& as) {
    Gpu* gpu = make_gpu(as.gpu, as.name);
    queue.gpu = gpu;
    if (gpu == nullptr || gpu->refused.load(std::memory_order_acquire)) return false;
    const Turn turn(*gpu);
    gpu->shared = as.shared;
    if (const char* why = objection(*gpu, as.shared)) {
        if (!gpu->refused.exchange(true)) say_refused(*gpu, why);
        return false;
    }
    gpu->whole_workgroups = gpu->whole_workgroups || as.whole_workgroups;
    if (gpu->queues++ == 0 && base::log_enabled(base::LogLevel::kDebug)) {
        char text[256];
        describe_record(text, sizeof text);
        XLOG_DEBG("%s: level 3 through %u channels in %u groups (timeslice %u us)%s; the process has %s", gpu->name,
                  gpu->set_count != 0 ? gpu->sets[0].set.channel_count : 0,
                  gpu->set_count != 0 ? gpu->sets[0].set.group_count : 0,
                  gpu->set_count != 0 ? gpu->sets[0].set.timeslices_us[0] : 0,
                  record_has_partition() ? ", in a MIG partition" : "", text);
    }
    return true;
}

bool join_timeslice(const stream::Interruptible& queue) {
    Gpu* gpu = static_cast<Gpu*>(queue.gpu);
    if (gpu == nullptr) return false;
    const Turn turn(*gpu);
    return gpu->shared && gpu->set_count != 0;
}

void leave(stream::Interruptible& queue) {
    Gpu* gpu = gpu_of(queue);
    if (gpu == nullptr) return;
    const Turn turn(*gpu);
    ask(*gpu, queue, false, false);
    queue.interruptible = false;
    // This queue was perhaps one of those that asked for the stop. If not all remaining queues ask for it, or no queue
    // is left, the process may run again.
    --gpu->queues;
    if (gpu->queues == 0 || gpu->asking < gpu->queues) let_go(*gpu);
}

XResult interrupt(stream::Interruptible& queue, XqInterrupt how) {
    Gpu* gpu = gpu_of(queue);
    if (gpu == nullptr || gpu->refused.load(std::memory_order_acquire)) return kXSchedErrorNotSupported;
    const Turn turn(*gpu);
    if (!queue.interruptible) return kXSchedErrorNotSupported;  // it has left meanwhile
    ask(*gpu, queue, true, how == kXqTakeOff);
    if (gpu->stopped && gpu->kept_off && gpu->taking > 0) let_go(*gpu);  // to be stopped for good
    if (gpu->asking < gpu->queues || gpu->stopped || g_freeing.load(std::memory_order_acquire) > 0)
        return kXSchedSuccess;
    const XResult result = stop(*gpu);
    if (result != kXSchedSuccess) ask(*gpu, queue, false, false);
    return result;
}

void restore(stream::Interruptible& queue) {
    Gpu* gpu = gpu_of(queue);
    if (gpu == nullptr) return;
    const Turn turn(*gpu);
    if (!queue.interruptible) return;
    const bool asked = queue.asks_interrupt;
    ask(*gpu, queue, false, false);
    if (gpu->stopped) return let_go(*gpu);
    if (asked || !(std::exchange(gpu->once_more, false) || base::now_ns() - gpu->enabled_ns >= kOneCallNs)) return;
    enable_once_more(*gpu);
    look_anew(*gpu);
}

XqStopState stop_state(const stream::Interruptible& queue) {
    const Gpu* gpu = gpu_of(queue);
    if (gpu == nullptr) return {};
    return {.stop = gpu->stop_number.load(std::memory_order_acquire),
            .slowed = 0,
            .paused = gpu->too_many.load(std::memory_order_acquire) ? 1U : 0U,
            .calls_us = gpu->calls_us.load(std::memory_order_relaxed)};
}

XResult set_timeslice(stream::Interruptible& queue, uint32_t us) {
    Gpu* gpu = queue.has_timeslice ? static_cast<Gpu*>(queue.gpu) : gpu_of(queue);
    if (gpu == nullptr) return kXSchedErrorNotSupported;
    const Turn turn(*gpu);
    if (!gpu->shared && gpu->refused.load(std::memory_order_acquire)) return kXSchedErrorNotSupported;
    refresh(*gpu);
    if (gpu->timeslice_us == us) return kXSchedSuccess;
    for (uint32_t i = 0; i < gpu->set_count; ++i) {
        const rm::Outcome outcome = rm::set_timeslices(driver_call(), gpu->sets[i].fd, gpu->sets[i].set, us);
        if (outcome.good()) continue;
        XLOG_DEBG("%s: timeslice %u us: %s (errno %d, status 0x%x)", gpu->name, us, rm::sentence(outcome),
                  outcome.error, outcome.status);
        return kXSchedErrorNotSupported;
    }
    gpu->timeslice_us = us;
    XLOG_DEBG("%s: timeslice %s%u us", gpu->name, us == 0 ? "the driver's own, " : "",
              us != 0 || gpu->set_count == 0 ? us : gpu->sets[0].set.timeslices_us[0]);
    return kXSchedSuccess;
}

}  // namespace xsched::nvidia
