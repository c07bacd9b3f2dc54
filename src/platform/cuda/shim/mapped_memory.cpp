#include "platform/cuda/shim/mapped_memory.h"

#include <cstdlib>
#include <new>
#include <utility>

#include "base/log.h"
#include "platform/cuda/shim/memory_account.h"
#include "platform/cuda/shim/program_memory.h"
#include "platform/stream/shim/keep_errno.h"
#include "platform/stream/shim/streams.h"

namespace xsched::cuda {
namespace {

using stream::driver;

void keep_physical_in_place(Physical& memory, const char* call) {
    if (!keep_range_in_place(memory.range)) return;
    XLOG_INFO(
        "%.2f GiB that the program has by cuMemCreate stay on the device from now on: %s hands them on "
        "(docs/memory.md)",
        static_cast<double>(memory.range.bytes) / (1 << 30), call);
    tell_of_memory();
}

bool can_move(const CUmemAllocationProp& wanted, CUdevice device) {
    return wanted.type == kPinned && wanted.location.type == kOnDevice && wanted.location.id == device &&
           wanted.usage == 0 && wanted.win32HandleMetaData == nullptr;
}

Physical* new_physical(CUcontext context, CUdevice device, size_t bytes, const CUmemAllocationProp& wanted) {
    const size_t parts = count_of_pieces(bytes);
    void* const memory = std::calloc(1, sizeof(Physical) + parts * sizeof(Piece));
    if (memory == nullptr) return nullptr;
    auto* const physical = new (memory) Physical;
    physical->wanted = wanted;
    PieceRange& range = physical->range;
    range.pieces = reinterpret_cast<Piece*>(physical + 1);
    range.physical = physical;
    range.context = context;
    range.device = device;
    range.asked_bytes = range.bytes = bytes;
    range.count = parts;
    return physical;
}

// Creates the driver's memory, and asks for room as cuMemAlloc does.
CUresult create_behind(Physical& memory, unsigned long long flags) {
    CUresult code = CUDA_SUCCESS;
    for (int i = 0; i < kMostTries; ++i) {
        stream::DeviceUse use;
        code = stream::Traced<stream::kEntry_cuMemCreate>::call(&memory.range.pieces[0].handle, memory.range.bytes,
                                                                &memory.wanted, flags);
        if (code == CUDA_SUCCESS) put_physical(memory);
        use.leave();
        if (code != CUDA_ERROR_OUT_OF_MEMORY || !ask_for_memory(memory.range.bytes, i)) break;
    }
    return code;
}

}  // namespace

bool create_movable(CUmemGenericAllocationHandle* handle, size_t bytes, const void* wanted, unsigned long long flags,
                    CUresult* code) {
    if (handle == nullptr || wanted == nullptr || flags != 0) return false;
    const stream::KeepErrno keep;
    const stream::Api& api = *stream::hal_api();
    CUcontext const context = stream::current_context(api);
    const CUdevice device = context != nullptr ? stream::device_of(api, context) : -1;
    const auto& properties = *static_cast<const CUmemAllocationProp*>(wanted);
    if (!can_move(properties, device) || !moves_on_device_of(context)) return false;
    *code = CUDA_ERROR_OUT_OF_MEMORY;
    Room room(bytes);
    if (!room.enough()) return true;
    Physical* const memory = new_physical(context, device, bytes, properties);
    if (memory == nullptr) return false;
    *code = create_behind(*memory, flags);
    if (*code != CUDA_SUCCESS) {
        std::free(memory);
        return true;
    }
    *handle = memory->range.begin;
    room.keep(*handle);
    tell_of_memory();
    return true;
}

CUresult release_movable(CUmemGenericAllocationHandle handle) {
    const PhysicalUse use(handle, nullptr);
    if (use.good()) release_handle(*use.memory());
    return use.good() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult map_movable(CUdeviceptr begin, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                     unsigned long long flags) {
    const stream::KeepErrno keep;
    const PhysicalUse use(handle, nullptr);
    if (!use.good()) return CUDA_ERROR_INVALID_VALUE;
    auto* const mapping = static_cast<Mapping*>(std::calloc(1, sizeof(Mapping)));
    if (mapping == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    const CUresult code = driver<stream::kEntry_cuMemMap>()(begin, bytes, offset, use.handle(), flags);
    if (code != CUDA_SUCCESS) {
        std::free(mapping);
        return code;
    }
    new (mapping) Mapping{.of = use.memory(), .begin = begin, .bytes = bytes, .offset = offset};
    put_mapping(*mapping);
    return code;
}

CUresult unmap_movable(CUdeviceptr begin, size_t bytes) {
    const stream::KeepErrno keep;
    stream::DeviceUse use;
    Mapping* taken = take_mappings(begin, bytes);  // before the call: behind it another thread may map there
    const CUresult code = stream::Traced<stream::kEntry_cuMemUnmap>::call(begin, bytes);
    while (taken != nullptr) {
        Mapping* const mapping = std::exchange(taken, taken->next);
        Physical* const memory = mapping->of;
        if (code == CUDA_SUCCESS)
            std::free(mapping);
        else
            put_mapping(*mapping);
        end_call(memory);
    }
    use.leave();
    return code;
}

CUresult open_movable(CUdeviceptr begin, size_t bytes, const void* access, size_t count) {
    const stream::KeepErrno keep;
    stream::DeviceUse use;
    const CUresult code = driver<stream::kEntry_cuMemSetAccess>()(begin, bytes, access, count);
    const bool others =
        code == CUDA_SUCCESS && open_mappings(begin, bytes, static_cast<const CUmemAccessDesc*>(access), count);
    use.leave();
    if (!others) return code;
    static constinit std::atomic<bool> said{false};
    if (!said.exchange(true))
        XLOG_INFO("memory opened to another device by cuMemSetAccess stays on the device from now on (docs/memory.md)");
    tell_of_memory();
    return code;
}

bool retain_movable(CUmemGenericAllocationHandle* handle, CUdeviceptr address) {
    const stream::KeepErrno keep;
    const CUmemGenericAllocationHandle found = retain_handle_at(address);
    if (found != 0) *handle = found;
    return found != 0;
}

PhysicalUse::PhysicalUse(unsigned long long handle, const char* tells_others) : memory_(begin_call(handle)) {
    if (memory_ != nullptr && tells_others != nullptr) keep_physical_in_place(*memory_, tells_others);
}

PhysicalUse::~PhysicalUse() {
    const stream::KeepErrno keep;
    if (memory_ != nullptr) end_call(memory_);
    use_.leave();
}

CUmemGenericAllocationHandle PhysicalUse::handle() const { return memory_->range.pieces[0].handle; }

}  // namespace xsched::cuda
