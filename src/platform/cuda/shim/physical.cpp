#include "platform/cuda/shim/physical.h"

#include <utility>

namespace xsched::cuda {
namespace {

using stream::driver;

CUresult set_access(const Physical& memory, CUdeviceptr begin, size_t bytes, int access) {
    const CUmemAccessDesc opened{{kOnDevice, memory.range.device}, access};
    return driver<stream::kEntry_cuMemSetAccess>()(begin, bytes, &opened, 1);
}

CUresult map_again(Physical& memory, Mapping& mapping) {
    const CUresult code = driver<stream::kEntry_cuMemMap>()(mapping.begin, mapping.bytes, mapping.offset,
                                                            memory.range.pieces[0].handle, 0);
    if (code != CUDA_SUCCESS) return code;
    mapping.there = true;
    return mapping.access != 0 ? set_access(memory, mapping.begin, mapping.bytes, mapping.access) : code;
}

CUresult open_window(Physical& memory) {
    const size_t bytes = memory.range.bytes;
    CUresult code = driver<stream::kEntry_cuMemAddressReserve>()(&memory.window, bytes, kGranularity, 0, 0);
    if (code != CUDA_SUCCESS) {
        memory.window = 0;
        return code;
    }
    code = driver<stream::kEntry_cuMemMap>()(memory.window, bytes, 0, memory.range.pieces[0].handle, 0);
    if (code == CUDA_SUCCESS) {
        code = set_access(memory, memory.window, bytes, kReadAndWrite);
        if (code != CUDA_SUCCESS) driver<stream::kEntry_cuMemUnmap>()(memory.window, bytes);
    }
    if (code != CUDA_SUCCESS)
        driver<stream::kEntry_cuMemAddressFree>()(std::exchange(memory.window, 0), bytes);
    else
        memory.range.mapped = memory.window;
    return code;
}

}  // namespace

CUresult open_to_copies(Physical& memory) {
    for (const Mapping* it = memory.mappings; it != nullptr; it = it->next) {
        if (it->bytes != memory.range.bytes || it->access != kReadAndWrite) continue;
        memory.range.mapped = it->begin;
        return CUDA_SUCCESS;
    }
    return open_window(memory);
}

void close_to_copies(Physical& memory) {
    const CUdeviceptr window = std::exchange(memory.window, 0);
    if (window == 0) return;
    driver<stream::kEntry_cuMemUnmap>()(window, memory.range.bytes);
    driver<stream::kEntry_cuMemAddressFree>()(window, memory.range.bytes);
}

void unmap_physical(Physical& memory) {
    close_to_copies(memory);
    for (Mapping* it = memory.mappings; it != nullptr; it = it->next)
        if (std::exchange(it->there, false)) driver<stream::kEntry_cuMemUnmap>()(it->begin, it->bytes);
    if (memory.range.pieces[0].handle != 0)
        driver<stream::kEntry_cuMemRelease>()(std::exchange(memory.range.pieces[0].handle, 0));
}

CUresult map_physical(Physical& memory) {
    CUmemGenericAllocationHandle& handle = memory.range.pieces[0].handle;
    CUresult code = driver<stream::kEntry_cuMemCreate>()(&handle, memory.range.bytes, &memory.wanted, 0);
    if (code != CUDA_SUCCESS) {
        handle = 0;
        return code;
    }
    for (Mapping* it = memory.mappings; it != nullptr && code == CUDA_SUCCESS; it = it->next)
        code = map_again(memory, *it);
    return code == CUDA_SUCCESS ? open_to_copies(memory) : code;
}

}  // namespace xsched::cuda
