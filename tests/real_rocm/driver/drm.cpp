// libdrm's part of memory that the runtime maps itself (hipMemCreate, hipMemMap): a buffer is a descriptor, and a
// mapping puts its pages at the address that the GPU sees.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "emulator.h"

#define EXPORTED extern "C" [[gnu::visibility("default")]]

namespace {

// The values of amdgpu_drm.h and amdgpu.h.
constexpr uint32_t kMap = 1, kUnmap = 2;
constexpr uint32_t kAsNumber = 1, kAsDescriptor = 2;  // amdgpu_bo_handle_type_kms, ..._dma_buf_fd

struct Buffer {
    int file;
    uint64_t bytes;
};
struct Imported {  // amdgpu_bo_import_result
    Buffer* buffer;
    uint64_t bytes;
};

int put(uint64_t address, uint64_t bytes, int file, uint64_t offset) {
    const int protection = file >= 0 ? PROT_READ | PROT_WRITE : PROT_NONE;
    const int how = MAP_FIXED | (file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
    void* const place = reinterpret_cast<void*>(address);
    return mmap(place, bytes, protection, how, file, static_cast<off_t>(offset)) != MAP_FAILED ? 0 : -errno;
}

}  // namespace

EXPORTED int amdgpu_bo_import(void*, uint32_t type, uint32_t descriptor, Imported* result) {
    struct stat facts{};
    const int file = type == kAsDescriptor ? dup(static_cast<int>(descriptor)) : -1;
    if (file < 0 || fstat(file, &facts) != 0) return -EINVAL;
    result->buffer = new Buffer{file, static_cast<uint64_t>(facts.st_size)};
    result->bytes = result->buffer->bytes;
    return 0;
}
EXPORTED int amdgpu_bo_export(Buffer* buffer, uint32_t type, uint32_t* descriptor) {
    const int file = type == kAsDescriptor ? dup(buffer->file) : type == kAsNumber ? buffer->file : -1;
    if (file < 0) return -EINVAL;
    *descriptor = static_cast<uint32_t>(file);
    return 0;
}
EXPORTED int amdgpu_bo_free(Buffer* buffer) {
    close(buffer->file);
    delete buffer;
    return 0;
}
EXPORTED int amdgpu_bo_va_op(Buffer* buffer, uint64_t offset, uint64_t bytes, uint64_t address, uint64_t,
                             uint32_t operation) {
    kfd::say(2, "amdgpu_bo_va_op %u of %llu bytes at %llx", operation, static_cast<unsigned long long>(bytes),
             static_cast<unsigned long long>(address));
    if (operation == kMap) return put(address, bytes, buffer->file, offset);
    return operation == kUnmap ? put(address, bytes, -1, 0) : -EINVAL;
}
EXPORTED int amdgpu_bo_cpu_map(Buffer* buffer, void** place) {
    *place = mmap(nullptr, buffer->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, buffer->file, 0);
    return *place != MAP_FAILED ? 0 : -errno;
}
