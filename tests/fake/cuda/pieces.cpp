// Physical memory behind reserved addresses. One piece may be mapped several times, and in parts. Memory that is not
// mapped, or not opened, ends the program that touches it, and new memory has contents of its own, so that bytes which
// were not brought back show.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>

#include "fake/cuda/capture.h"
#include "fake/cuda/card.h"
#include "fake/cuda/context.h"
#include "fake/cuda/live.h"
#include "fake/cuda/memory.h"

using namespace fake;

namespace {

constexpr size_t kGranularity = size_t{2} << 20;
constexpr int kNewContents = 0xa5;

// cuda.h's.
struct Properties {
    int type, handle_types;
    int where, device;
    void* more;
    unsigned char flags[8];
};
struct Access {
    int where, device, flags;
};
constexpr int kOnDevice = 1, kRead = 1, kReadAndWrite = 3;

struct Physical {
    int file = -1;
    size_t bytes = 0;
    int mapped = 0;
    int handles = 1;
    bool imported = false;  // the card's bytes are counted where it was created
    Properties properties{};
};
struct Mapping {
    CUmemGenericAllocationHandle handle = 0;
    size_t bytes = 0;
    int access = 0;
};
struct Pieces {
    std::mutex mutex;
    std::map<CUdeviceptr, size_t> reserved;
    std::map<CUmemGenericAllocationHandle, Physical> physical;
    std::map<CUdeviceptr, Mapping> mapped;
    CUmemGenericAllocationHandle next = 1;

    void end_if_unused(CUmemGenericAllocationHandle handle) {
        const auto found = physical.find(handle);
        if (found == physical.end() || found->second.mapped != 0 || found->second.handles != 0) return;
        close(found->second.file);
        if (!found->second.imported) give_card_bytes(found->second.bytes);
        physical.erase(found);
        count_live("piece", -1);
    }
    // Returns the physical memory of a handle; nullptr if the program has released the handle, or never had it.
    Physical* held(CUmemGenericAllocationHandle handle) {
        const auto found = physical.find(handle);
        return found != physical.end() && found->second.handles > 0 ? &found->second : nullptr;
    }
    // Returns the mapping that contains the address; nullptr if nothing is mapped there.
    Mapping* around(CUdeviceptr address) {
        auto it = mapped.upper_bound(address);
        if (it == mapped.begin()) return nullptr;
        --it;
        return address - it->first < it->second.bytes ? &it->second : nullptr;
    }
    // Returns whether the range is the whole of mappings one behind the other.
    bool covers(CUdeviceptr address, size_t bytes) {
        size_t covered = 0;
        while (covered < bytes) {
            const auto it = mapped.find(address + covered);
            if (it == mapped.end()) return false;
            covered += it->second.bytes;
        }
        return covered == bytes;
    }
};
Pieces& pieces() {
    static Pieces& it = *new Pieces;
    return it;
}

void* at(CUdeviceptr address) { return reinterpret_cast<void*>(address); }
bool whole(size_t bytes) { return bytes != 0 && bytes % kGranularity == 0; }

void fill(int file, size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) return;
    std::memset(memory, kNewContents, bytes);
    munmap(memory, bytes);
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t, CUdeviceptr, unsigned long long) {
    FAKE_ENTRY();
    if (address == nullptr || !whole(bytes)) return CUDA_ERROR_INVALID_VALUE;
    void* memory = mmap(nullptr, bytes + kGranularity, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
    const auto from = reinterpret_cast<uintptr_t>(memory);
    const uintptr_t aligned = (from + kGranularity - 1) / kGranularity * kGranularity;
    if (aligned > from) munmap(memory, aligned - from);
    munmap(at(aligned + bytes), from + kGranularity - aligned);
    const std::lock_guard lock(pieces().mutex);
    pieces().reserved[aligned] = bytes;
    count_live("reservation", 1);
    *address = aligned;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemAddressFree(CUdeviceptr address, size_t bytes) {
    FAKE_ENTRY();
    const std::lock_guard lock(pieces().mutex);
    const auto found = pieces().reserved.find(address);
    if (found == pieces().reserved.end() || found->second != bytes) return CUDA_ERROR_INVALID_VALUE;
    const auto inside = pieces().mapped.lower_bound(address);
    if (inside != pieces().mapped.end() && inside->first < address + bytes) return CUDA_ERROR_INVALID_VALUE;
    pieces().reserved.erase(found);
    count_live("reservation", -1);
    munmap(at(address), bytes);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* wanted,
                             unsigned long long) {
    FAKE_ENTRY();
    if (handle == nullptr || wanted == nullptr || !whole(bytes)) return CUDA_ERROR_INVALID_VALUE;
    if (!take_card_bytes(bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
    const int file = memfd_create("fake_cuda_piece", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) {
        if (file >= 0) close(file);
        give_card_bytes(bytes);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (!noop()) fill(file, bytes);
    const std::lock_guard lock(pieces().mutex);
    *handle = pieces().next++;
    Physical& made = pieces().physical[*handle];
    made.file = file;
    made.bytes = bytes;
    std::memcpy(&made.properties, wanted, sizeof made.properties);
    count_live("piece", 1);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemRelease(CUmemGenericAllocationHandle handle) {
    FAKE_ENTRY();
    const std::lock_guard lock(pieces().mutex);
    Physical* const held = pieces().held(handle);
    if (held == nullptr) return CUDA_ERROR_INVALID_VALUE;
    --held->handles;
    pieces().end_if_unused(handle);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* pointer) {
    FAKE_ENTRY();
    const std::lock_guard lock(pieces().mutex);
    const Mapping* const mapping = pieces().around(reinterpret_cast<CUdeviceptr>(pointer));
    if (handle == nullptr || mapping == nullptr) return CUDA_ERROR_INVALID_VALUE;
    ++pieces().physical[mapping->handle].handles;
    *handle = mapping->handle;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* answer,
                                                        CUmemGenericAllocationHandle handle) {
    FAKE_ENTRY();
    const std::lock_guard lock(pieces().mutex);
    const Physical* const held = pieces().held(handle);
    if (answer == nullptr || held == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(answer, &held->properties, sizeof held->properties);
    return CUDA_SUCCESS;
}

// A descriptor, as POSIX systems have.
CUresult CUDAAPI cuMemExportToShareableHandle(void* shared, CUmemGenericAllocationHandle handle,
                                              CUmemAllocationHandleType type, unsigned long long flags) {
    FAKE_ENTRY();
    const std::lock_guard lock(pieces().mutex);
    const Physical* const held = pieces().held(handle);
    const bool asked_for = held != nullptr && (held->properties.handle_types & static_cast<int>(type)) != 0;
    if (shared == nullptr || !asked_for || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    const int file = dup(held->file);
    std::memcpy(shared, &file, sizeof file);
    return file >= 0 ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult CUDAAPI cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* shared,
                                                CUmemAllocationHandleType type) {
    FAKE_ENTRY();
    const int file = static_cast<int>(reinterpret_cast<intptr_t>(shared));
    struct stat facts{};
    if (handle == nullptr || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || fstat(file, &facts) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    const std::lock_guard lock(pieces().mutex);
    *handle = pieces().next++;
    Physical& made = pieces().physical[*handle];
    made.file = dup(file);
    made.bytes = static_cast<size_t>(facts.st_size);
    made.imported = true;
    count_live("piece", 1);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                          unsigned long long flags) {
    FAKE_ENTRY();
    const std::lock_guard lock(pieces().mutex);
    Physical* const held = pieces().held(handle);
    auto range = pieces().reserved.upper_bound(address);
    if (held == nullptr || range == pieces().reserved.begin() || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    --range;
    const bool inside = address + bytes <= range->first + range->second && whole(bytes) && offset % kGranularity == 0 &&
                        offset + bytes <= held->bytes;
    const auto behind = pieces().mapped.upper_bound(address);
    const bool free =
        pieces().around(address) == nullptr && (behind == pieces().mapped.end() || behind->first >= address + bytes);
    if (!inside || !free) return CUDA_ERROR_INVALID_VALUE;
    if (mmap(at(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, held->file, static_cast<off_t>(offset)) ==
        MAP_FAILED)
        return CUDA_ERROR_OUT_OF_MEMORY;
    ++held->mapped;
    pieces().mapped[address] = {handle, bytes, 0};
    add_mapped(address, bytes, 0);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemUnmap(CUdeviceptr address, size_t bytes) {
    FAKE_ENTRY();
    const std::lock_guard lock(pieces().mutex);
    if (!whole(bytes) || !pieces().covers(address, bytes)) return CUDA_ERROR_INVALID_VALUE;
    mmap(at(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    for (CUdeviceptr from = address; from < address + bytes;) {
        const auto found = pieces().mapped.find(from);
        const Mapping gone = found->second;
        remove_mapped(from, gone.bytes);
        pieces().mapped.erase(found);
        --pieces().physical[gone.handle].mapped;
        pieces().end_if_unused(gone.handle);
        from += gone.bytes;
    }
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc* wanted, size_t count) {
    FAKE_ENTRY();
    const auto* const access = reinterpret_cast<const Access*>(wanted);
    const std::lock_guard lock(pieces().mutex);
    if (access == nullptr || count == 0 || !whole(bytes) || !pieces().covers(address, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; ++i) {
        if (access[i].where != kOnDevice || access[i].device != 0) continue;
        const int write = access[i].flags == kReadAndWrite ? PROT_WRITE : 0;
        const int protection = access[i].flags >= kRead ? PROT_READ | write : PROT_NONE;
        if (mprotect(at(address), bytes, protection) != 0) return CUDA_ERROR_INVALID_VALUE;
        for (CUdeviceptr from = address; from < address + bytes; from += pieces().mapped[from].bytes)
            pieces().mapped[from].access = access[i].flags;
    }
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemGetAccess(unsigned long long* flags, const CUmemLocation*, CUdeviceptr address) {
    FAKE_ENTRY();
    const std::lock_guard lock(pieces().mutex);
    const Mapping* const mapping = pieces().around(address);
    if (flags == nullptr || mapping == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = static_cast<unsigned long long>(mapping->access);
    return CUDA_SUCCESS;
}
}
