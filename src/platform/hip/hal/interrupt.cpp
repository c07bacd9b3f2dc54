// Level 3: takes what streams of this process run on AMD GPUs off them, and puts it back, by suspending compute queues
// in the kernel driver (kfd_control.h). Written from the driver's sources and tested on an emulator; not measured on
// hardware.
//
// If the HSA runtime's queues are observed (hsa_observer.h), a queue is stopped when the streams that use it ask, and
// all queues of a GPU when all of its streams ask. Otherwise all compute queues of the process are stopped together,
// when every scheduled stream asks (stop_choice.h). The driver accepts these calls only from the owner of the queues,
// so xserver cannot act for a client that does not answer.
//
// Any thread may call any function; none calls HIP.
#include "base/clock.h"
#include "platform/hip/hal/driver_queues.h"
#include "platform/hip/hal/hsa_observer.h"
#include "platform/hip/hal/queue_stops.h"
#include "platform/hip/hal/stop_choice.h"

namespace xsched::hip {
namespace {

using namespace kfd;

constexpr unsigned kMostStreams = 256;

// Returns the position of an observed queue among the driver's queues; -1: it is not known there.
int place_of(uint32_t number) {
    const uint64_t address = facts_of(number).base_address;
    for (unsigned i = 0; address != 0 && i < g_process.count; ++i)
        if (g_process.queues[i].queue.ring_base_address == address) return static_cast<int>(i);
    return -1;
}

StoppableStream describe(const stream::HwQueue& hwq) {
    StoppableStream told{.asks = hwq.asks_interrupt};
    const bool numbered = hwq.device >= 0 && hwq.device < kMostDevices;
    const stream::HardwareUse* use = hwq.hardware.load(std::memory_order_acquire);
    const uint32_t main = use != nullptr ? use->main.load(std::memory_order_relaxed) : 0;
    const int at = main != 0 ? place_of(main) : -1;
    if (at >= 0 && numbered) g_process.gpus[hwq.device] = g_process.queues[at].queue.gpu_id;
    told.gpu = at >= 0 ? g_process.queues[at].queue.gpu_id : numbered ? g_process.gpus[hwq.device] : 0;
    if (at < 0 || xhip_streams_move() || !xhip_queues_observed()) return told;
    told.known = true;
    for (uint32_t number = 1; number <= highest_queue_number(); ++number) {
        if ((use->word((number - 1) / 64) >> (number - 1) % 64 & 1) == 0) continue;
        const int place = place_of(number);
        if (place >= 0)
            told.uses[place / 64] |= uint64_t{1} << place % 64;
        else
            told.known = false;
    }
    return told;
}

// Stops and resumes the process's hardware queues as its streams ask for now. Returns NotSupported if the process's
// work can never be stopped, and NotAllowed if it cannot be stopped at present.
XResult settle() {
    Process& process = g_process;
    StoppableStream streams[kMostStreams];
    StoppableQueue queues[kMostQueues];
    unsigned count = 0;
    for (stream::HwQueue* it = process.streams; it != nullptr && count < kMostStreams; it = it->next_interruptible)
        streams[count++] = describe(*it);
    if (count == kMostStreams) streams[0] = {};  // one that is not known and does not ask
    for (unsigned i = 0; i < process.count; ++i) queues[i].gpu = process.queues[i].queue.gpu_id;
    choose_stops(streams, count, queues, process.count);
    bool go_on[kMostQueues] = {}, stop[kMostQueues] = {};
    for (unsigned i = 0; i < process.count; ++i)
        go_on[i] = !queues[i].stopped && process.queues[i].stopped_by != Way::kNone;
    resume_those(go_on);
    // The queues to stop are found after the resumption: a way that fails to resume some queues may let others run that
    // must stay stopped.
    for (unsigned i = 0; i < process.count; ++i)
        stop[i] = queues[i].stopped && process.queues[i].stopped_by == Way::kNone;
    return suspend_those(stop);
}

// Returns the state of all queues that the stream's commands may be in. Slowed: all of them are confined to few compute
// units.
XqStopState state_of(const stream::HwQueue& hwq) {
    const StoppableStream stream = describe(hwq);
    bool any = false, slowed = true;
    for (unsigned i = 0; i < g_process.count; ++i) {
        const Kept& kept = g_process.queues[i];
        const bool uses = stream.known ? (stream.uses[i / 64] >> i % 64 & 1) != 0
                                       : stream.gpu == 0 || kept.queue.gpu_id == stream.gpu;
        if (!uses) continue;
        if (kept.stopped_by == Way::kNone) return {};
        slowed = slowed && kept.stopped_by == Way::kMask;
        any = true;
    }
    if (!any) return {};
    return {.stop = 2 * g_process.resumes + 1, .slowed = slowed ? 1u : 0u, .calls_us = g_process.call_times.both_us()};
}

}  // namespace

void let_go(const Kept& kept) {
    bool go_on[kMostQueues] = {};
    go_on[&kept - g_process.queues] = true;
    resume_those(go_on);
}

void uses_changed() {
    if (g_stopped.load(std::memory_order_relaxed) == 0) return;
    const Turn turn;
    settle();
}

}  // namespace xsched::hip

namespace xsched::stream {

using hip::g_process;
using hip::Turn;

bool join_interrupts(HwQueue& hwq) {
    if (hip::kernel_call() == nullptr) {
        hip::say_refused("its calls to the kernel driver are not seen (the shim must be preloaded)");
        return false;
    }
    const Turn turn;
    if (hip::out_of_question() == hip::kAllWays) return false;
    hwq.next_interruptible = g_process.streams;
    g_process.streams = &hwq;
    if (hip::g_stopped.load(std::memory_order_relaxed) != 0) hip::settle();
    return true;
}

void leave_interrupts(HwQueue& hwq) {
    if (!hwq.interruptible) return;
    const Turn turn;
    hwq.interruptible = hwq.asks_interrupt = false;
    if (hwq.generation != base::fork_generation()) return;  // the parent's
    for (HwQueue** at = &g_process.streams; *at != nullptr; at = &(*at)->next_interruptible)
        if (*at == &hwq) {
            *at = hwq.next_interruptible;
            break;
        }
    // Resumes the other queues unless all remaining streams ask for the stop. After the last stream nothing asks for
    // it.
    hip::settle();
    if (g_process.streams == nullptr && g_process.count > 0)
        detach(hip::kernel_call(), g_process.debugger, g_process.queues[0].queue.fd);  // a debugger may have it
}

XResult interrupt(HwQueue& hwq, XqInterrupt /*there are no timeslices: it is always taken off*/) {
    const Turn turn;
    if (!hwq.interruptible || hwq.generation != base::fork_generation()) return kXSchedErrorNotSupported;
    hwq.asks_interrupt = true;
    const XResult result = hip::settle();
    if (result == kXSchedSuccess) return result;
    hwq.asks_interrupt = false;
    return result;
}

XqStopState stop_state(HwQueue& hwq) {
    const Turn turn;
    return hwq.interruptible && hwq.generation == base::fork_generation() ? hip::state_of(hwq) : XqStopState{};
}

void restore(HwQueue& hwq) {
    const Turn turn;
    if (!hwq.interruptible || hwq.generation != base::fork_generation()) return;
    hwq.asks_interrupt = false;
    hip::settle();
}

}  // namespace xsched::stream
