// The driver's files, as the HSA library opens them: plain files of those names, which a root folder has
// (topology.py). Calls about them are answered here; all others go on to the system.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <string>

#include "calls.h"
#include "emulator.h"
#include "memory.h"

namespace kfd {
namespace {

constexpr const char* kDriver = "/dev/kfd";
constexpr const char* kRenderNode = "/dev/dri/renderD";
constexpr int kFirstRenderNode = 128;

bool same_file(int fd, const char* path) {
    struct stat open_one{}, named{};
    return fstat(fd, &open_one) == 0 && stat(path, &named) == 0 && open_one.st_dev == named.st_dev &&
           open_one.st_ino == named.st_ino;
}

bool is_ours(int fd) {
    if (fd < 0) return false;
    if (same_file(fd, kDriver)) return true;
    for (int gpu = 0; gpu < gpus(); ++gpu)
        if (same_file(fd, (kRenderNode + std::to_string(kFirstRenderNode + gpu)).c_str())) return true;
    return false;
}

// Emulates mmap of the driver's files (doorbells, memory for the host) by anonymous shared pages.
void* map(void* place, size_t bytes, int protection, int how, int fd, off_t offset) {
    if ((how & MAP_ANONYMOUS) == 0 && is_ours(fd)) {
        how = (how & MAP_FIXED) | MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE;
        fd = -1;
        offset = 0;
    }
    return reinterpret_cast<void*>(syscall(SYS_mmap, place, bytes, protection, how, fd, offset));
}

}  // namespace
}  // namespace kfd

#define EXPORTED extern "C" [[gnu::visibility("default")]]

EXPORTED int ioctl(int fd, unsigned long request, ...) noexcept {
    va_list rest;
    va_start(rest, request);
    void* argument = va_arg(rest, void*);
    va_end(rest);
    if (_IOC_TYPE(request) != AMDKFD_IOCTL_BASE || _IOC_DIR(request) == _IOC_NONE || !kfd::same_file(fd, kfd::kDriver))
        return static_cast<int>(syscall(SYS_ioctl, fd, request, argument));
    const kfd::Answer answer = kfd::answer(request, argument);
    if (answer >= 0) return answer;
    errno = -answer;
    return -1;
}

EXPORTED void* mmap(void* place, size_t bytes, int protection, int how, int fd, off_t offset) noexcept {
    return kfd::map(place, bytes, protection, how, fd, offset);
}
EXPORTED void* mmap64(void* place, size_t bytes, int protection, int how, int fd, off64_t offset) noexcept {
    return kfd::map(place, bytes, protection, how, fd, offset);
}
EXPORTED int munmap(void* place, size_t bytes) noexcept {
    if (kfd::close_pages(reinterpret_cast<uint64_t>(place), bytes)) return 0;
    return static_cast<int>(syscall(SYS_munmap, place, bytes));
}

// --- libdrm and libnuma, as far as the HSA library asks them

EXPORTED int drmOpenRender(int minor) {
    return open((kfd::kRenderNode + std::to_string(minor)).c_str(), O_RDWR | O_CLOEXEC);
}
EXPORTED int drmClose(int fd) { return close(fd); }
// Answers libdrm's request for a buffer's mapping offset (DRM_AMDGPU_GEM_MMAP) with 0: no program here maps one on
// the host.
EXPORTED int drmCommandWriteRead(int, unsigned long command, void* asked, unsigned long) {
    constexpr unsigned long kGemMap = 1;
    if (command != kGemMap) return -EINVAL;
    *static_cast<uint64_t*>(asked) = 0;
    return 0;
}

struct DrmDevice {
    int fd;
};
EXPORTED int amdgpu_device_initialize(int fd, uint32_t* major, uint32_t* minor, DrmDevice** device) {
    *major = 3;
    *minor = 57;
    *device = new DrmDevice{fcntl(fd, F_DUPFD_CLOEXEC, 0)};  // the library closes its own
    return 0;
}
EXPORTED int amdgpu_device_deinitialize(DrmDevice* device) {
    close(device->fd);
    delete device;
    return 0;
}
EXPORTED int amdgpu_device_get_fd(DrmDevice* device) { return device->fd; }
EXPORTED const char* amdgpu_get_marketing_name(DrmDevice*) { return "an emulated GPU"; }
EXPORTED int amdgpu_query_gpu_info(DrmDevice*, void* info) {
    constexpr size_t kKnownBytes = 256;  // struct amdgpu_gpu_info is larger than what is read
    __builtin_memset(info, 0, kKnownBytes);
    return 0;
}
EXPORTED int numa_available(void) { return -1; }
EXPORTED long mbind(void*, unsigned long, int, const unsigned long*, unsigned long, unsigned) { return 0; }
