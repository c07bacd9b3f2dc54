#include "platform/stream/shim/memory/mapped_memory.h"

#include <cstdlib>
#include <new>
#include <utility>

#include "base/log.h"
#include "platform/stream/shim/keep_errno.h"
#include "platform/stream/shim/memory/memory_account.h"
#include "platform/stream/shim/memory/program_memory.h"
#include "platform/stream/shim/streams.h"

namespace xsched::stream::memory {
namespace {

void keep_physical_in_place(Physical& memory, const char* call) {
    if (!keep_range_in_place(memory.range)) return;
    XLOG_INFO("%.2f GiB that the program has by %s stay on the device from now on: %s hands them on (memory.md)",
              static_cast<double>(memory.range.bytes) / (1 << 30), XSCHED_NAME(VENDOR(MemCreate)), call);
    tell_of_memory();
}

bool can_move(const MemoryProperties& wanted, Device device) {
    return wanted.type == kPinned && wanted.location.type == kOnDevice && wanted.location.id == device &&
           wanted.usage == 0 && wanted.win32HandleMetaData == nullptr;
}

Physical* new_physical(Context context, Device device, size_t bytes, const MemoryProperties& wanted) {
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
Result create_behind(Physical& memory, unsigned long long flags) {
    Result code = kSuccess;
    for (int i = 0; i < kMostTries; ++i) {
        DeviceUse use;
        code = traced_call<kMemCreate>(&memory.range.pieces[0].handle, memory.range.bytes, &memory.wanted, flags);
        if (code == kSuccess) put_physical(memory);
        use.leave();
        if (code != kOutOfMemory || !ask_for_memory(memory.range.bytes, i)) break;
    }
    return code;
}

}  // namespace

bool create_movable(Handle* handle, size_t bytes, const void* wanted, unsigned long long flags, Result* code) {
    if (handle == nullptr || wanted == nullptr || flags != 0) return false;
    const KeepErrno keep;
    const Api& api = *hal_api();
    Context const context = current_context(api);
    const Device device = context != nullptr ? device_of(api, context) : -1;
    const auto& properties = *static_cast<const MemoryProperties*>(wanted);
    if (!can_move(properties, device) || !moves_on_device_of(context)) return false;
    *code = kOutOfMemory;
    Room room(bytes);
    if (!room.enough()) return true;
    Physical* const memory = new_physical(context, device, bytes, properties);
    if (memory == nullptr) return false;
    *code = create_behind(*memory, flags);
    if (*code != kSuccess) {
        std::free(memory);
        return true;
    }
    *handle = memory->range.begin;
    room.keep(*handle);
    tell_of_memory();
    return true;
}

Result release_movable(Handle handle) {
    const PhysicalUse use(handle, nullptr);
    if (use.good()) release_handle(*use.memory());
    return use.good() ? kSuccess : kInvalidValue;
}

Result map_movable(Address begin, size_t bytes, size_t offset, Handle handle, unsigned long long flags) {
    const KeepErrno keep;
    const PhysicalUse use(handle, nullptr);
    if (!use.good()) return kInvalidValue;
    auto* const mapping = static_cast<Mapping*>(std::calloc(1, sizeof(Mapping)));
    if (mapping == nullptr) return kOutOfMemory;
    const Result code = vendor_call<kMemMap>(begin, bytes, offset, use.handle(), flags);
    if (code != kSuccess) {
        std::free(mapping);
        return code;
    }
    new (mapping) Mapping{.of = use.memory(), .begin = begin, .bytes = bytes, .offset = offset};
    put_mapping(*mapping);
    return code;
}

Result unmap_movable(Address begin, size_t bytes) {
    const KeepErrno keep;
    DeviceUse use;
    Mapping* taken = take_mappings(begin, bytes);  // before the call: behind it another thread may map there
    const Result code = traced_call<kMemUnmap>(begin, bytes);
    while (taken != nullptr) {
        Mapping* const mapping = std::exchange(taken, taken->next);
        Physical* const memory = mapping->of;
        if (code == kSuccess)
            std::free(mapping);
        else
            put_mapping(*mapping);
        end_call(memory);
    }
    use.leave();
    return code;
}

Result open_movable(Address begin, size_t bytes, const void* access, size_t count) {
    const KeepErrno keep;
    DeviceUse use;
    const Result code = vendor_call<kMemSetAccess>(begin, bytes, access, count);
    const bool others =
        code == kSuccess && open_mappings(begin, bytes, static_cast<const MemoryAccess*>(access), count);
    use.leave();
    if (!others) return code;
    static constinit std::atomic<bool> said{false};
    if (!said.exchange(true))
        XLOG_INFO("memory opened to another device by %s stays on the device from now on (memory.md)",
                  XSCHED_NAME(VENDOR(MemSetAccess)));
    tell_of_memory();
    return code;
}

bool retain_movable(Handle* handle, Address address) {
    const KeepErrno keep;
    const Handle found = retain_handle_at(address);
    if (found != 0) *handle = found;
    return found != 0;
}

PhysicalUse::PhysicalUse(unsigned long long handle, const char* tells_others) : memory_(begin_call(handle)) {
    if (memory_ != nullptr && tells_others != nullptr) keep_physical_in_place(*memory_, tells_others);
}

PhysicalUse::~PhysicalUse() {
    const KeepErrno keep;
    if (memory_ != nullptr) end_call(memory_);
    use_.leave();
}

Handle PhysicalUse::handle() const { return memory_->range.pieces[0].handle; }

}  // namespace xsched::stream::memory
