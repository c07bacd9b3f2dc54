#include "recorded_queues.h"

#include <dlfcn.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

#include "platform/hip/hal/kfd_api.h"

namespace xsched::probe {
namespace {

bool creates(unsigned long request) {
    return _IOC_NR(request) == kfd::kCreateQueueNumber && _IOC_SIZE(request) >= kfd::kCreateQueueKnownBytes;
}

// Records the runtime's creation or destruction of a compute queue in the kernel driver. Other calls take no lock: ROCm
// 6.4 waits for kernels by such a call, and a trial may hold the lock then.
void record(int fd, unsigned long request, const void* argument) {
    if (!creates(request) && request != kfd::AMDKFD_IOC_DESTROY_QUEUE) return;
    Recorded& all = recorded();
    const std::lock_guard lock(all.mutex);
    if (creates(request)) {
        kfd::kfd_ioctl_create_queue_args made{};
        std::memcpy(&made, argument, kfd::kCreateQueueKnownBytes);
        const bool computes = made.queue_type == kfd::KFD_IOC_QUEUE_TYPE_COMPUTE ||
                              made.queue_type == kfd::KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
        if (computes && all.count < kfd::kMostQueues)
            all.queues[all.count++] = {fd,
                                       made.queue_id,
                                       made.ring_base_address,
                                       made.ring_size,
                                       made.queue_percentage,
                                       made.queue_priority,
                                       made.gpu_id,
                                       nullptr,
                                       few_asked()};
    } else {
        const uint32_t id = static_cast<const kfd::kfd_ioctl_destroy_queue_args*>(argument)->queue_id;
        for (unsigned i = 0; i < all.count; ++i)
            if (all.queues[i].id == id) all.queues[i] = all.queues[--all.count];
    }
}

}  // namespace

Recorded& recorded() {
    static Recorded& it = *new Recorded;  // the runtime calls until the very end
    return it;
}

int next_ioctl(int fd, unsigned long request, void* argument) {
    static const auto next = reinterpret_cast<kfd::Ioctl>(dlsym(RTLD_NEXT, "ioctl"));
    return next(fd, request, argument);
}

uint32_t few_asked() {
    const char* units = std::getenv("XSCHED_HIP_FEW_UNITS");
    return units != nullptr ? static_cast<uint32_t>(std::strtoul(units, nullptr, 10)) : 0;
}

}  // namespace xsched::probe

// The runtime's calls to the kernel driver come here first.
extern "C" [[gnu::visibility("default")]] int ioctl(int fd, unsigned long request, ...) noexcept {
    va_list rest;
    va_start(rest, request);
    void* argument = va_arg(rest, void*);
    va_end(rest);
    const int result = xsched::probe::next_ioctl(fd, request, argument);
    const int error = errno;
    if (result == 0 && argument != nullptr && _IOC_TYPE(request) == xsched::hip::kfd::AMDKFD_IOCTL_BASE)
        xsched::probe::record(fd, request, argument);
    errno = error;
    return result;
}
