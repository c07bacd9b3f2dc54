// The parts that fake kernel drivers share: they stand in front of the C library's ioctl. One file of each library
// includes this.
#pragma once

#include <dlfcn.h>

#include <cstdarg>

namespace fake {

// The library's own: what the driver answers.
int called_ioctl(int fd, unsigned long request, void* argument);

// Calls the C library's ioctl, or that of another library in front of it.
inline int next_ioctl(int fd, unsigned long request, void* argument) {
    using Next = int (*)(int, unsigned long, void*);
    static const auto next = reinterpret_cast<Next>(dlsym(RTLD_NEXT, "ioctl"));
    return next(fd, request, argument);
}

}  // namespace fake

extern "C" int ioctl(int fd, unsigned long request, ...) noexcept {
    va_list rest;
    va_start(rest, request);
    void* argument = va_arg(rest, void*);
    va_end(rest);
    return fake::called_ioctl(fd, request, argument);
}
