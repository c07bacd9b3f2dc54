#include "platform/hip/hal/interrupt.h"

#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/clock.h"
#include "base/fork.h"
#include "base/log.h"
#include "base/mutex.h"
#include "platform/hip/hal/kfd_api.h"
#include "platform/stream/hal/hwqueue.h"

namespace xsched::hip {
namespace {

using namespace kfd;

struct Process {
    base::Mutex turn;         // one change at a time; held during calls to the kernel, never needed by a launch
    uint32_t generation = 0;  // the process of a line of forks that the rest is about
    Queue queues[kMostQueues] = {};
    unsigned count = 0;
    bool incomplete = false;  // there were more
    uint32_t streams = 0;     // scheduled ones that may be interrupted
    uint32_t asking = 0;      // of them
    bool stopped = false;
    Way way = Way::kUpdate;   // kNone: all were refused, none is tried again
};

constinit Process g_process;
constinit std::atomic<Ioctl> g_ioctl{nullptr};

// A turn at the process's queues. Fork's child has none of its parent's.
class Turn {
public:
    Turn() : lock_(g_process.turn) {
        Process& process = g_process;
        if (process.generation == base::fork_generation()) return;
        process.generation = base::fork_generation();
        process.count = process.streams = process.asking = 0;
        process.stopped = process.incomplete = false;
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

void let_go() {
    Process& process = g_process;
    if (!process.stopped) return;
    process.stopped = false;
    const int64_t began = base::now_ns();
    if (const int error = resume(process.way, call(), process.queues, process.count); error != 0)
        XLOG_WARN("queues of the kernel driver could not be resumed by %s: %s", name_of(process.way), strerror(error));
    XLOG_DEBG("%u queues resumed in %lld us", process.count,
              static_cast<long long>((base::now_ns() - began) / base::kMicrosecond));
}

XResult stop() {
    Process& process = g_process;
    while (process.way != Way::kNone && !process.incomplete) {
        const int64_t began = base::now_ns();
        const int error = suspend(process.way, call(), process.queues, process.count);
        if (error == 0) {
            process.stopped = true;
            XLOG_DEBG("%u queues suspended by %s in %lld us", process.count, name_of(process.way),
                      static_cast<long long>((base::now_ns() - began) / base::kMicrosecond));
            return kXSchedSuccess;
        }
        XLOG_DEBG("the kernel driver refuses to suspend %u queues by %s: %s", process.count, name_of(process.way),
                  strerror(error));
        process.way = static_cast<Way>(static_cast<uint32_t>(process.way) + 1);
    }
    say_refused(process.incomplete ? "the process has more queues than can be kept track of"
                                   : "the kernel driver refuses every way of suspending its queues");
    return kXSchedErrorNotSupported;
}

Queue* find(int fd, uint32_t id) {
    for (unsigned i = 0; i < g_process.count; ++i)
        if (g_process.queues[i].id == id && g_process.queues[i].fd == fd) return &g_process.queues[i];
    return nullptr;
}

void forget(Queue& queue) { queue = g_process.queues[--g_process.count]; }

void remember(int fd, const void* argument) {
    kfd_ioctl_create_queue_args made{};
    std::memcpy(&made, argument, kCreateQueueKnownBytes);
    if (made.queue_type != KFD_IOC_QUEUE_TYPE_COMPUTE && made.queue_type != KFD_IOC_QUEUE_TYPE_COMPUTE_AQL) return;
    if (Queue* old = find(fd, made.queue_id)) forget(*old);  // it went where we did not see it
    if (g_process.count == kMostQueues) {
        g_process.incomplete = true;
        return;
    }
    g_process.queues[g_process.count++] = {
        fd, made.queue_id, made.ring_base_address, made.ring_size, made.queue_percentage, made.queue_priority};
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

// The runtime changes queues of its own accord, and may thereby start one that stands.
int pass_update(int fd, unsigned long request, void* argument, const Next& next) {
    kfd_ioctl_update_queue_args asked{};
    std::memcpy(&asked, argument, sizeof asked);
    kfd_ioctl_update_queue_args passed = asked;
    Queue* queue = find(fd, asked.queue_id);
    if (queue != nullptr && g_process.stopped && g_process.way == Way::kUpdate)
        passed.queue_percentage &= ~kPercentageMask;
    const int result = next.call(fd, request, &passed);
    if (result == 0 && queue != nullptr)
        *queue = {
            fd, asked.queue_id, asked.ring_base_address, asked.ring_size, asked.queue_percentage, asked.queue_priority};
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
    if (find(fd, gone.queue_id) != nullptr) let_go();  // the driver would wait for a suspended one
    const int result = next.call(fd, request, argument);
    if (Queue* queue = find(fd, gone.queue_id); queue != nullptr && result == 0) forget(*queue);
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

}  // namespace xsched::hip

namespace xsched::stream {

using hip::g_process;
using hip::Turn;

bool join_interrupts(HwQueue&) {
    if (hip::call() == nullptr) {
        hip::say_refused("its calls to the kernel driver are not seen (the shim must be preloaded)");
        return false;
    }
    const Turn turn;
    if (g_process.way == hip::kfd::Way::kNone) return false;
    ++g_process.streams;
    return true;
}

void leave_interrupts(HwQueue& hwq) {
    if (!hwq.interruptible) return;
    const Turn turn;
    hwq.interruptible = false;
    if (hwq.generation != base::fork_generation()) return;  // the parent's count
    if (hwq.asks_interrupt) --g_process.asking;
    hwq.asks_interrupt = false;
    // Whoever is left may not want it; the last one cannot any more.
    --g_process.streams;
    if (g_process.streams == 0 || g_process.asking < g_process.streams) hip::let_go();
}

XResult interrupt(HwQueue& hwq, XqInterrupt /*there are no timeslices: it is always taken off*/) {
    const Turn turn;
    if (!hwq.interruptible || hwq.generation != base::fork_generation()) return kXSchedErrorNotSupported;
    if (!hwq.asks_interrupt) ++g_process.asking;
    hwq.asks_interrupt = true;
    if (g_process.asking < g_process.streams || g_process.stopped) return kXSchedSuccess;
    const XResult result = hip::stop();
    if (result == kXSchedSuccess) return result;
    hwq.asks_interrupt = false;
    --g_process.asking;
    return result;
}

void restore(HwQueue& hwq) {
    const Turn turn;
    if (!hwq.interruptible || hwq.generation != base::fork_generation()) return;
    if (hwq.asks_interrupt) --g_process.asking;
    hwq.asks_interrupt = false;
    hip::let_go();
}

}  // namespace xsched::stream
