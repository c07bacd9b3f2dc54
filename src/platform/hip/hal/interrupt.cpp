#include "platform/hip/hal/interrupt.h"

#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/clock.h"
#include "base/fork.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/options.h"
#include "platform/hip/hal/hsa_observer.h"
#include "platform/hip/hal/kfd_api.h"
#include "platform/hip/hal/stop_choice.h"
#include "platform/stream/hal/hwqueue.h"

namespace xsched::hip {
namespace {

using namespace kfd;

constexpr unsigned kMostStreams = 256;
constexpr int kMostDevices = 64;

struct Kept {
    Queue queue{};
    Way stopped_by = Way::kNone;
};

struct Process {
    base::Mutex turn;         // one change at a time; held during calls to the kernel, never needed by a launch
    uint32_t generation = 0;  // the process of a line of forks that the rest is about
    Kept queues[kMostQueues] = {};
    unsigned count = 0;
    bool incomplete = false;  // there were more
    stream::HwQueue* streams = nullptr;   // scheduled ones that may be interrupted
    uint32_t gpus[kMostDevices] = {};     // of devices, as a stream's queue told; 0: not known
    Debugger debugger;
    uint32_t refused = 0;     // bit n: way n, not tried again
};

constinit Process g_process;
constinit std::atomic<Ioctl> g_ioctl{nullptr};
constinit std::atomic<unsigned> g_stopped{0};  // queues

// A turn at the process's queues. Fork's child has none of its parent's.
class Turn {
public:
    Turn() : lock_(g_process.turn) {
        Process& process = g_process;
        if (process.generation == base::fork_generation()) return;
        process.generation = base::fork_generation();
        process.count = 0;
        process.streams = nullptr;
        process.incomplete = false;
        process.debugger = Debugger{};
        g_stopped.store(0, std::memory_order_relaxed);
    }

private:
    base::Lock lock_;
};

Ioctl call() { return g_ioctl.load(std::memory_order_acquire); }

void say_refused(const char* why) {
    static constinit std::atomic<bool> said{false};
    if (!said.exchange(true)) XLOG_INFO("no preempt level 3 for HIP: %s; its streams use level 2 or 1", why);
}

// The rest: a turn is held.

constexpr uint32_t kAllWays = (1u << kWays) - 1;

// Those that were stopped by that way and are to go on.
void resume_by(Way way, const bool* go_on) {
    Process& process = g_process;
    Queue queues[kMostQueues];
    unsigned count = 0;
    for (unsigned i = 0; i < process.count; ++i) {
        if (!go_on[i] || process.queues[i].stopped_by != way) continue;
        process.queues[i].stopped_by = Way::kNone;
        queues[count++] = process.queues[i].queue;
    }
    if (count == 0) return;
    g_stopped.fetch_sub(count, std::memory_order_relaxed);
    const int64_t began = base::now_ns();
    if (const int error = resume(way, call(), queues, count); error != 0) {
        process.refused = kAllWays;
        XLOG_WARN("queues of the kernel driver could not be resumed by %s: %s; level 3 is not used any more",
                  name_of(way), strerror(error));
    }
    XLOG_DEBG("%u queues resumed in %lld us", count,
              static_cast<long long>((base::now_ns() - began) / base::kMicrosecond));
}

void resume_those(const bool* go_on) {
    for (const Way way : {Way::kUpdate, Way::kDebugger, Way::kPreempt}) resume_by(way, go_on);
}

// Some failing calls leave a lock of the driver's held, and the next one for these queues would wait for ever.
bool is_fatal(int error) { return error == EFAULT; }

// Ways that are refused, and all but the one that was chosen.
uint32_t out_of_question() {
    const char* chosen = base::options().hip_interrupt;
    const Way way = way_of(chosen);
    static constinit std::atomic<bool> said{false};
    if (*chosen != '\0' && way == Way::kNone && !said.exchange(true))
        XLOG_WARN("XSCHED_HIP_INTERRUPT=%s is none of debug, update and preempt: the best way is taken", chosen);
    return g_process.refused | (way != Way::kNone ? kAllWays & ~(1u << static_cast<uint32_t>(way)) : 0);
}

void note_refused(Way way, int error, unsigned count) {
    g_process.refused |= is_fatal(error) ? kAllWays : 1u << static_cast<uint32_t>(way);
    const Way next = best_way(count, out_of_question());
    XLOG_INFO("the kernel driver refuses to suspend %u queues of this process by %s (%s); %s%s", count, name_of(way),
              strerror(error),
              next != Way::kNone ? "the next way is "
              : is_fatal(error)  ? "no way is tried after that"
                                 : "it has no other",
              next != Way::kNone ? name_of(next) : "");
}

// All of those, or none.
XResult suspend_those(const bool* stop) {
    Process& process = g_process;
    Queue queues[kMostQueues];
    unsigned count = 0;
    for (unsigned i = 0; i < process.count; ++i)
        if (stop[i]) queues[count++] = process.queues[i].queue;
    while (!process.incomplete) {
        const Way way = best_way(count, out_of_question());
        if (way == Way::kNone) break;
        if (count == 0) return kXSchedSuccess;
        const int64_t began = base::now_ns();
        const int error = suspend(way, call(), process.debugger, queues, count);
        if (error == 0) {
            for (unsigned i = 0; i < process.count; ++i)
                if (stop[i]) process.queues[i].stopped_by = way;
            g_stopped.fetch_add(count, std::memory_order_relaxed);
            XLOG_DEBG("%u queues suspended by %s in %lld us", count, name_of(way),
                      static_cast<long long>((base::now_ns() - began) / base::kMicrosecond));
            return kXSchedSuccess;
        }
        note_refused(way, error, count);
    }
    say_refused(process.incomplete ? "the process has more queues than can be kept track of"
                                   : "the kernel driver refuses every way of suspending its queues");
    return kXSchedErrorNotSupported;
}

// Which of the driver's queues the observed one is; -1: none that is known.
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

// As the streams ask at present. NotSupported: what is to be stopped cannot be.
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
    for (unsigned i = 0; i < process.count; ++i) {
        go_on[i] = !queues[i].stopped && process.queues[i].stopped_by != Way::kNone;
        stop[i] = queues[i].stopped && process.queues[i].stopped_by == Way::kNone;
    }
    resume_those(go_on);
    return suspend_those(stop);
}

void let_go(const Kept& kept) {
    bool go_on[kMostQueues] = {};
    go_on[&kept - g_process.queues] = true;
    resume_those(go_on);
}

Kept* find(int fd, uint32_t id) {
    for (unsigned i = 0; i < g_process.count; ++i)
        if (g_process.queues[i].queue.id == id && g_process.queues[i].queue.fd == fd) return &g_process.queues[i];
    return nullptr;
}

void forget(Kept& kept) {
    if (kept.stopped_by != Way::kNone) g_stopped.fetch_sub(1, std::memory_order_relaxed);
    kept = g_process.queues[--g_process.count];
}

void remember(int fd, const void* argument) {
    kfd_ioctl_create_queue_args made{};
    std::memcpy(&made, argument, kCreateQueueKnownBytes);
    if (made.queue_type != KFD_IOC_QUEUE_TYPE_COMPUTE && made.queue_type != KFD_IOC_QUEUE_TYPE_COMPUTE_AQL) return;
    if (Kept* old = find(fd, made.queue_id)) forget(*old);  // it went where we did not see it
    if (g_process.count == kMostQueues) {
        g_process.incomplete = true;
        return;
    }
    g_process.queues[g_process.count++] = {.queue = {fd, made.queue_id, made.ring_base_address, made.ring_size,
                                                     made.queue_percentage, made.queue_priority, made.gpu_id}};
    g_process.debugger.unseen = true;
}

// The program's call. What follows on it may not change its errno.
struct Next {
    Ioctl made;
    mutable int error = 0;
    int call(int fd, unsigned long request, void* argument) const {
        const int result = made(fd, request, argument);
        error = errno;
        return result;
    }
};

// The runtime changes queues of its own accord, and may thereby start one that is stopped.
int pass_update(int fd, unsigned long request, void* argument, const Next& next) {
    kfd_ioctl_update_queue_args asked{};
    std::memcpy(&asked, argument, sizeof asked);
    kfd_ioctl_update_queue_args passed = asked;
    Kept* kept = find(fd, asked.queue_id);
    if (kept != nullptr && kept->stopped_by == Way::kUpdate) passed.queue_percentage &= ~kPercentageMask;
    const int result = next.call(fd, request, &passed);
    if (result == 0 && kept != nullptr)
        kept->queue = {fd,
                       asked.queue_id,
                       asked.ring_base_address,
                       asked.ring_size,
                       asked.queue_percentage,
                       asked.queue_priority,
                       kept->queue.gpu_id};
    return result;
}

bool creates(unsigned long request) {
    return _IOC_NR(request) == kCreateQueueNumber && _IOC_DIR(request) == (_IOC_READ | _IOC_WRITE) &&
           _IOC_SIZE(request) >= kCreateQueueKnownBytes;
}

bool is_recorded(unsigned long request) {
    return creates(request) || request == AMDKFD_IOC_UPDATE_QUEUE || request == AMDKFD_IOC_DESTROY_QUEUE;
}

int pass_recorded(int fd, unsigned long request, void* argument, const Next& next) {
    const Turn turn;
    if (request == AMDKFD_IOC_UPDATE_QUEUE) return pass_update(fd, request, argument, next);
    if (creates(request)) {
        const int result = next.call(fd, request, argument);
        if (result == 0) remember(fd, argument);
        return result;
    }
    kfd_ioctl_destroy_queue_args gone{};
    std::memcpy(&gone, argument, sizeof gone);
    Kept* kept = find(fd, gone.queue_id);
    if (kept != nullptr) let_go(*kept);  // the driver would wait for a suspended one
    const int result = next.call(fd, request, argument);
    if (kept != nullptr && result == 0) forget(*kept);
    return result;
}

}  // namespace

int pass_ioctl(int fd, unsigned long request, void* argument, Ioctl made) {
    if (call() == nullptr) g_ioctl.store(made, std::memory_order_release);
    if (argument == nullptr || !is_recorded(request)) return made(fd, request, argument);
    const Next next{made};
    const int result = pass_recorded(fd, request, argument, next);
    errno = next.error;
    return result;
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
    if (hip::call() == nullptr) {
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
    // Whoever is left may not want it; the last one cannot any more.
    hip::settle();
    if (g_process.streams == nullptr && g_process.count > 0)
        detach(hip::call(), g_process.debugger, g_process.queues[0].queue.fd);  // a debugger may have it
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

void restore(HwQueue& hwq) {
    const Turn turn;
    if (!hwq.interruptible || hwq.generation != base::fork_generation()) return;
    hwq.asks_interrupt = false;
    hip::settle();
}

}  // namespace xsched::stream
