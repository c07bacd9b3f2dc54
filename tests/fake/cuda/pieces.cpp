// Memory in pieces behind reserved addresses. Memory that is not mapped, or not opened, ends the program that touches
// it, and new memory has contents of its own, so that bytes which were not brought back show.
#include <sys/mman.h>
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

struct Physical {
    int file = -1;
    size_t bytes = 0;
    int mapped = 0;
    bool released = false;
};
struct Mapping {
    CUmemGenericAllocationHandle handle = 0;
    size_t bytes = 0;
};
struct Pieces {
    std::mutex mutex;
    std::map<CUdeviceptr, size_t> reserved;
    std::map<CUmemGenericAllocationHandle, Physical> physical;
    std::map<CUdeviceptr, Mapping> mapped;
    CUmemGenericAllocationHandle next = 1;

    void end_if_unused(CUmemGenericAllocationHandle handle) {
        const auto found = physical.find(handle);
        if (found == physical.end() || found->second.mapped != 0 || !found->second.released) return;
        close(found->second.file);
        give_card_bytes(found->second.bytes);
        physical.erase(found);
        count_live("piece", -1);
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
    fill(file, bytes);
    const std::lock_guard lock(pieces().mutex);
    *handle = pieces().next++;
    pieces().physical[*handle] = {file, bytes, 0, false};
    count_live("piece", 1);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemRelease(CUmemGenericAllocationHandle handle) {
    FAKE_ENTRY();
    const std::lock_guard lock(pieces().mutex);
    const auto found = pieces().physical.find(handle);
    if (found == pieces().physical.end() || found->second.released) return CUDA_ERROR_INVALID_VALUE;
    found->second.released = true;
    pieces().end_if_unused(handle);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                          unsigned long long) {
    FAKE_ENTRY();
    const std::lock_guard lock(pieces().mutex);
    const auto found = pieces().physical.find(handle);
    auto range = pieces().reserved.upper_bound(address);
    if (found == pieces().physical.end() || range == pieces().reserved.begin()) return CUDA_ERROR_INVALID_VALUE;
    --range;
    const bool inside = address + bytes <= range->first + range->second;
    if (!inside || offset != 0 || bytes != found->second.bytes || pieces().mapped.count(address) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (mmap(at(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, found->second.file, 0) == MAP_FAILED)
        return CUDA_ERROR_OUT_OF_MEMORY;
    ++found->second.mapped;
    pieces().mapped[address] = {handle, bytes};
    add_mapped(address, bytes, 0);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemUnmap(CUdeviceptr address, size_t bytes) {
    FAKE_ENTRY();
    const std::lock_guard lock(pieces().mutex);
    const auto found = pieces().mapped.find(address);
    if (found == pieces().mapped.end() || found->second.bytes != bytes) return CUDA_ERROR_INVALID_VALUE;
    remove_mapped(address, bytes);
    mmap(at(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    const CUmemGenericAllocationHandle handle = found->second.handle;
    pieces().mapped.erase(found);
    --pieces().physical[handle].mapped;
    pieces().end_if_unused(handle);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc* access, size_t count) {
    FAKE_ENTRY();
    if (access == nullptr || count == 0 || !whole(bytes)) return CUDA_ERROR_INVALID_VALUE;
    return mprotect(at(address), bytes, PROT_READ | PROT_WRITE) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
}
