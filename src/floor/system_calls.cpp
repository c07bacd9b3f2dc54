// Wrappers of system calls that the C library exports since 2.25 and 2.27.
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "floor/floor.h"

extern "C" {
XSCHED_FLOOR int memfd_create(const char* name, unsigned flags) noexcept {
    return static_cast<int>(syscall(SYS_memfd_create, name, flags));
}

XSCHED_FLOOR ssize_t getrandom(void* into, size_t bytes, unsigned flags) {
    return syscall(SYS_getrandom, into, bytes, flags);
}

// Used by std::random_device. Fails above 256 bytes, like the C library's: of more the kernel may give only a part.
XSCHED_FLOOR int getentropy(void* into, size_t bytes) {
    if (bytes > 256) {
        errno = EIO;
        return -1;
    }
    return getrandom(into, bytes, 0) == static_cast<ssize_t>(bytes) ? 0 : -1;
}
}
