// The C library's ioctl as the vendor's library calls it. Calls to the vendor's kernel driver that level 3 needs to
// know go through the device library; all others go to the next ioctl. This is the only libc function that every stream
// shim replaces, and every part of the program calls it: it costs one comparison.
#include <dlfcn.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>

#include "platform.h"

namespace xsched::stream {
namespace {

using NextIoctl = int (*)(int, unsigned long, void*);

constinit std::atomic<NextIoctl> g_next{nullptr};

int system_call(int fd, unsigned long request, void* argument) {
    return static_cast<int>(syscall(SYS_ioctl, fd, request, argument));
}

// Returns the ioctl that the program would call without this shim: another preloaded library's, otherwise libc's.
NextIoctl next_ioctl() {
    NextIoctl next = g_next.load(std::memory_order_relaxed);
    if (next != nullptr) [[likely]]
        return next;
    const int saved = errno;
    next = reinterpret_cast<NextIoctl>(next_symbol("ioctl"));
    if (next == nullptr) next = system_call;
    g_next.store(next, std::memory_order_relaxed);
    errno = saved;
    return next;
}

}  // namespace
}  // namespace xsched::stream

extern "C" [[gnu::visibility("default")]] int ioctl(int fd, unsigned long request, ...) noexcept {
    using namespace xsched::stream;
    va_list rest;
    va_start(rest, request);
    void* argument = va_arg(rest, void*);
    va_end(rest);
    const NextIoctl next = next_ioctl();
    if (!is_recorded_ioctl(request)) [[likely]]
        return next(fd, request, argument);
    return hal_ioctl(fd, request, argument, next);
}
