// The C library's ioctl, as the runtime reaches it: calls to AMD's kernel driver go through device/hip/interrupt.h,
// which records the process's queues; all others go on to the next ioctl at once. Every part of the program calls this:
// it costs a comparison, and touches nothing else.
#include <dlfcn.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>

#include "device/hip/hal_abi.h"
#include "device/hip/kfd_api.h"

namespace xsched::hip {
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
    next = reinterpret_cast<Next>(xhip_real_dlsym()(RTLD_NEXT, "ioctl"));
    if (next == nullptr) next = system_call;
    g_next.store(next, std::memory_order_relaxed);
    errno = saved;
    return next;
}

// Those of the console, which have the same letter, have neither direction nor size.
constexpr bool is_kfds(unsigned long request) {
    return _IOC_TYPE(request) == kfd::AMDKFD_IOCTL_BASE && _IOC_DIR(request) != _IOC_NONE;
}

}  // namespace
}  // namespace xsched::hip

extern "C" [[gnu::visibility("default")]] int ioctl(int fd, unsigned long request, ...) noexcept {
    using namespace xsched::hip;
    va_list rest;
    va_start(rest, request);
    void* argument = va_arg(rest, void*);
    va_end(rest);
    const Next next = next_ioctl();
    if (!is_kfds(request)) [[likely]]
        return next(fd, request, argument);
    return xhip_ioctl(fd, request, argument, next);
}
