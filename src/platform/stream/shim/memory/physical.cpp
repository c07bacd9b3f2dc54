#include "platform/stream/shim/memory/physical.h"

#include <utility>

namespace xsched::stream::memory {
namespace {

Result set_access(const Physical& memory, Address begin, size_t bytes, int access) {
    const MemoryAccess opened{{kOnDevice, memory.range.device}, access};
    return vendor_call<kMemSetAccess>(begin, bytes, &opened, 1);
}

Result map_again(Physical& memory, Mapping& mapping) {
    const Result code =
        vendor_call<kMemMap>(mapping.begin, mapping.bytes, mapping.offset, memory.range.pieces[0].handle, 0);
    if (code != kSuccess) return code;
    mapping.there = true;
    return mapping.access != 0 ? set_access(memory, mapping.begin, mapping.bytes, mapping.access) : code;
}

Result open_window(Physical& memory) {
    const size_t bytes = memory.range.bytes;
    Result code = vendor_call<kMemAddressReserve>(&memory.window, bytes, kGranularity, 0, 0);
    if (code != kSuccess) {
        memory.window = 0;
        return code;
    }
    code = vendor_call<kMemMap>(memory.window, bytes, 0, memory.range.pieces[0].handle, 0);
    if (code == kSuccess) {
        code = set_access(memory, memory.window, bytes, kReadAndWrite);
        if (code != kSuccess) vendor_call<kMemUnmap>(memory.window, bytes);
    }
    if (code != kSuccess)
        vendor_call<kMemAddressFree>(std::exchange(memory.window, 0), bytes);
    else
        memory.range.mapped = memory.window;
    return code;
}

}  // namespace

Result open_to_copies(Physical& memory) {
    for (const Mapping* it = memory.mappings; it != nullptr; it = it->next) {
        if (it->bytes != memory.range.bytes || it->access != kReadAndWrite) continue;
        memory.range.mapped = it->begin;
        return kSuccess;
    }
    return open_window(memory);
}

void close_to_copies(Physical& memory) {
    const Address window = std::exchange(memory.window, 0);
    if (window == 0) return;
    vendor_call<kMemUnmap>(window, memory.range.bytes);
    vendor_call<kMemAddressFree>(window, memory.range.bytes);
}

void unmap_physical(Physical& memory) {
    close_to_copies(memory);
    for (Mapping* it = memory.mappings; it != nullptr; it = it->next)
        if (std::exchange(it->there, false)) vendor_call<kMemUnmap>(it->begin, it->bytes);
    if (memory.range.pieces[0].handle != 0) vendor_call<kMemRelease>(std::exchange(memory.range.pieces[0].handle, 0));
}

Result map_physical(Physical& memory) {
    Handle& handle = memory.range.pieces[0].handle;
    Result code = vendor_call<kMemCreate>(&handle, memory.range.bytes, &memory.wanted, 0);
    if (code != kSuccess) {
        handle = 0;
        return code;
    }
    for (Mapping* it = memory.mappings; it != nullptr && code == kSuccess; it = it->next) code = map_again(memory, *it);
    return code == kSuccess ? open_to_copies(memory) : code;
}

}  // namespace xsched::stream::memory
