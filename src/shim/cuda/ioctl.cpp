// The C library's ioctl, as the driver's library reaches it: calls to NVIDIA's kernel driver that allocate or free are
// recorded (device/cuda/channel_record.h), all others go on to the next ioctl at once. This is the only function that
// is taken which is not CUDA's, and every part of the program calls it: it costs a comparison, and touches nothing
// else.
#include <dlfcn.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>

#include "device/cuda/hal_abi.h"
#include "device/cuda/rm_api.h"

namespace xsched::cuda {
namespace {

using Next = int (*)(int, unsigned long, void*);

constinit std::atomic<Next> g_next{nullptr};

int system_call(int fd, unsigned long request, void* argument) {
    return static_cast<int>(syscall(SYS_ioctl, fd, request, argument));
}

// What the program would have called without us: another preloaded library's, else libc's.
Next next_ioctl() {
    Next next = g_next.load(std::memory_order_relaxed);
    if (next != nullptr) [[likely]]
        return next;
    const int saved = errno;
    next = reinterpret_cast<Next>(dlsym(RTLD_NEXT, "ioctl"));
    if (next == nullptr) next = system_call;
    g_next.store(next, std::memory_order_relaxed);
    errno = saved;
    return next;
}

constexpr bool is_recorded(unsigned long request) {
    if (_IOC_TYPE(request) != rm::NV_IOCTL_MAGIC) return false;
    const unsigned long number = _IOC_NR(request);
    return number == rm::NV_ESC_RM_ALLOC || number == rm::NV_ESC_RM_FREE || number == rm::NV_ESC_IOCTL_XFER_CMD;
}

}  // namespace
}  // namespace xsched::cuda

extern "C" [[gnu::visibility("default")]] int ioctl(int fd, unsigned long request, ...) noexcept {
    using namespace xsched::cuda;
    va_list rest;
    va_start(rest, request);
    void* argument = va_arg(rest, void*);
    va_end(rest);
    const Next next = next_ioctl();
    if (!is_recorded(request)) [[likely]]
        return next(fd, request, argument);
    return xcu_ioctl(fd, request, argument, next);
}
