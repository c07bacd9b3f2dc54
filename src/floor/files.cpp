// stat and similar functions, which the C library exports since 2.33. Before that, programs contained them and called
// __xstat and similar functions, which every later C library still has.
#include <sys/stat.h>

#include "floor/floor.h"

namespace {

#if defined(__x86_64__)
constexpr int kStatVersion = 1;  // value of _STAT_VER in the headers of 2.32
#else
constexpr int kStatVersion = 0;
#endif

}  // namespace

extern "C" {
int __xstat(int version, const char* path, struct stat* into) noexcept;
int __lxstat(int version, const char* path, struct stat* into) noexcept;
int __fxstat(int version, int file, struct stat* into) noexcept;
int __fxstatat(int version, int folder, const char* path, struct stat* into, int flags) noexcept;

XSCHED_FLOOR int stat(const char* path, struct stat* into) noexcept { return __xstat(kStatVersion, path, into); }
XSCHED_FLOOR int lstat(const char* path, struct stat* into) noexcept { return __lxstat(kStatVersion, path, into); }
XSCHED_FLOOR int fstat(int file, struct stat* into) noexcept { return __fxstat(kStatVersion, file, into); }
XSCHED_FLOOR int fstatat(int folder, const char* path, struct stat* into, int flags) noexcept {
    return __fxstatat(kStatVersion, folder, path, into, flags);
}

// The same functions under the names that code compiled with _FILE_OFFSET_BITS=64 calls. On LP64 systems file sizes
// have 64 bits anyway.
XSCHED_FLOOR int stat64(const char* path, struct stat64* into) noexcept {
    return __xstat(kStatVersion, path, reinterpret_cast<struct stat*>(into));
}
XSCHED_FLOOR int lstat64(const char* path, struct stat64* into) noexcept {
    return __lxstat(kStatVersion, path, reinterpret_cast<struct stat*>(into));
}
XSCHED_FLOOR int fstat64(int file, struct stat64* into) noexcept {
    return __fxstat(kStatVersion, file, reinterpret_cast<struct stat*>(into));
}
XSCHED_FLOOR int fstatat64(int folder, const char* path, struct stat64* into, int flags) noexcept {
    return __fxstatat(kStatVersion, folder, path, reinterpret_cast<struct stat*>(into), flags);
}
static_assert(sizeof(struct stat) == sizeof(struct stat64));
}
