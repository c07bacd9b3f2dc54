#include "platform/hip/hal/driver_queues.h"

#include <cerrno>
#include <cstring>

#include "base/options.h"
#include "platform/hip/hal/kfd_api.h"

namespace xsched::hip {

constinit Process g_process;
constinit std::atomic<unsigned> g_stopped{0};

namespace {

using namespace kfd;

constinit std::atomic<Ioctl> g_ioctl{nullptr};

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
                                                     made.queue_percentage, made.queue_priority, made.gpu_id, nullptr,
                                                     static_cast<uint32_t>(base::options().hip_few_units)}};
    g_process.debugger.unseen = true;
}

// The program's call. Our steps after it may not change its errno.
struct Next {
    Ioctl made;
    mutable int error = 0;
    int call(int fd, unsigned long request, void* argument) const {
        const int result = made(fd, request, argument);
        error = errno;
        return result;
    }
};

// Passes on the runtime's own change of a queue. A queue that XSched has stopped this way stays stopped: the share in
// the call is replaced by 0.
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
                       kept->queue.gpu_id,
                       nullptr,
                       kept->queue.few};
    return result;
}

// Passes on the program's own mask of a queue. If XSched slows the queue at this time, a mask with only a part of those
// units follows.
int pass_mask(int fd, unsigned long request, void* argument, const Next& next) {
    kfd_ioctl_set_cu_mask_args asked{};
    std::memcpy(&asked, argument, sizeof asked);
    const int result = next.call(fd, request, argument);
    Kept* kept = result == 0 ? find(fd, asked.queue_id) : nullptr;
    if (kept == nullptr) return result;
    // The mask can be read here without a check, since the driver has just read it successfully.
    kept->mask = mask_of(reinterpret_cast<const uint32_t*>(asked.cu_mask_ptr), asked.num_cu_mask);
    if (kept->stopped_by != Way::kMask) return result;
    const Queue queue = as_known(*kept);
    if (suspend(Way::kMask, kernel_call(), g_process.debugger, &queue, 1) != 0) {
        kept->stopped_by = Way::kNone;
        g_stopped.fetch_sub(1, std::memory_order_relaxed);
    }
    return result;
}

bool creates(unsigned long request) {
    return _IOC_NR(request) == kCreateQueueNumber && _IOC_DIR(request) == (_IOC_READ | _IOC_WRITE) &&
           _IOC_SIZE(request) >= kCreateQueueKnownBytes;
}

bool is_recorded(unsigned long request) {
    return creates(request) || request == AMDKFD_IOC_UPDATE_QUEUE || request == AMDKFD_IOC_DESTROY_QUEUE ||
           request == AMDKFD_IOC_SET_CU_MASK;
}

int pass_recorded(int fd, unsigned long request, void* argument, const Next& next) {
    const Turn turn;
    if (request == AMDKFD_IOC_UPDATE_QUEUE) return pass_update(fd, request, argument, next);
    if (request == AMDKFD_IOC_SET_CU_MASK) return pass_mask(fd, request, argument, next);
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

kfd::Ioctl kernel_call() { return g_ioctl.load(std::memory_order_acquire); }

Queue as_known(const Kept& kept) {
    Queue queue = kept.queue;
    queue.mask = &kept.mask;
    return queue;
}

int pass_ioctl(int fd, unsigned long request, void* argument, Ioctl made) {
    if (kernel_call() == nullptr) g_ioctl.store(made, std::memory_order_release);
    if (argument == nullptr || !is_recorded(request)) return made(fd, request, argument);
    const Next next{made};
    const int result = pass_recorded(fd, request, argument, next);
    errno = next.error;
    return result;
}

}  // namespace xsched::hip
