#include "fake/cuda/memory.h"

#include <cstdlib>
#include <shared_mutex>

#include "fake/cuda/card.h"
#include "fake/cuda/faults.h"
#include "fake/cuda/live.h"

namespace fake {
namespace {

struct Range {
    size_t bytes = 0;
    Memory kind = Memory::kDevice;
    Context* context = nullptr;  // nullptr: mapped, and every context's
    bool portable = false;
    int device = 0;
};
struct Table {
    std::shared_mutex mutex;
    std::map<uintptr_t, Range> ranges;  // by start

    // The range around `address`; end() if there is none. Mutex held.
    std::map<uintptr_t, Range>::iterator around(uintptr_t address) {
        auto it = ranges.upper_bound(address);
        if (it == ranges.begin()) return ranges.end();
        --it;
        return address - it->first < it->second.bytes ? it : ranges.end();
    }
};
Table& table() {
    static Table& it = *new Table;
    return it;
}

// In a mode that breaks the order on purpose, the device may still use freed memory. The memory is then never really
// freed, so that the program does not crash.
void free_memory(void* memory) {
    if (g_settings.break_mode.load(std::memory_order_relaxed) == Break::kNone) std::free(memory);
}

uintptr_t number_of(const void* address) { return reinterpret_cast<uintptr_t>(host_of(address)); }

}  // namespace

size_t device_bytes() { return card_bytes(); }

void add_mapped(uintptr_t start, size_t bytes, int device) {
    const std::unique_lock lock(table().mutex);
    table().ranges[start] = {bytes, Memory::kDevice, nullptr, true, device};
}

bool remove_mapped(uintptr_t start, size_t bytes) {
    const std::unique_lock lock(table().mutex);
    const auto found = table().ranges.find(start);
    if (found == table().ranges.end() || found->second.bytes != bytes || found->second.context != nullptr) return false;
    table().ranges.erase(found);
    return true;
}

size_t memory_of_device() {
    const int64_t limit = g_settings.memory_bytes.load(std::memory_order_relaxed);
    return limit > 0 ? static_cast<size_t>(limit) : size_t{8} << 30;
}

void* allocate(Context& context, size_t bytes, Memory kind, bool portable) {
    if (kind == Memory::kDevice && !take_card_bytes(bytes)) return nullptr;
    void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (memory == nullptr) return nullptr;
    const std::unique_lock lock(table().mutex);
    table().ranges[number_of(memory)] = {bytes, kind, &context, portable, context.device->ordinal};
    count_live("memory", 1);
    return memory;
}

bool release(const void* start, Memory kind) {
    {
        const std::unique_lock lock(table().mutex);
        const auto found = table().ranges.find(number_of(start));
        if (found == table().ranges.end()) return false;
        const bool device = kind == Memory::kDevice && found->second.kind == Memory::kManaged;
        if ((found->second.kind != kind && !device) || found->second.context == nullptr) return false;
        if (found->second.kind == Memory::kDevice) give_card_bytes(found->second.bytes);
        table().ranges.erase(found);
    }
    free_memory(host_of(start));
    count_live("memory", -1);
    return true;
}

CUresult register_memory(Context& context, void* start, size_t bytes, bool portable) {
    const std::unique_lock lock(table().mutex);
    const uintptr_t from = number_of(start);
    const auto next = table().ranges.lower_bound(from);
    const bool overlaps = next != table().ranges.end() && next->first < from + bytes;
    if (overlaps || table().around(from) != table().ranges.end()) return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    table().ranges[from] = {bytes, Memory::kRegistered, &context, portable, context.device->ordinal};
    hide_others_stores(start, bytes);
    count_live("registration", 1);
    return CUDA_SUCCESS;
}

CUresult unregister_memory(void* start) {
    const std::unique_lock lock(table().mutex);
    const auto found = table().ranges.find(number_of(start));
    if (found == table().ranges.end() || found->second.kind != Memory::kRegistered)
        return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    table().ranges.erase(found);
    count_live("registration", -1);
    return CUDA_SUCCESS;
}

CUdeviceptr device_address(const void* host) {
    const std::shared_lock lock(table().mutex);
    const auto found = table().around(number_of(host));
    if (found == table().ranges.end()) return 0;
    const CUdeviceptr address = number_of(host);
    if (found->second.kind == Memory::kRegistered) return address | kRegisteredBit;
    return found->second.kind == Memory::kPinned ? address : 0;
}

void release_all_of(Context& context) {
    const std::unique_lock lock(table().mutex);
    for (auto it = table().ranges.begin(); it != table().ranges.end();) {
        if (it->second.context != &context) {
            ++it;
            continue;
        }
        const bool registered = it->second.kind == Memory::kRegistered;
        count_live(registered ? "registration" : "memory", -1);
        if (it->second.kind == Memory::kDevice) give_card_bytes(it->second.bytes);
        if (!registered) free_memory(reinterpret_cast<void*>(it->first));
        it = table().ranges.erase(it);
    }
}

Memory kind_of(const void* address) {
    const std::shared_lock lock(table().mutex);
    const auto found = table().around(number_of(address));
    return found != table().ranges.end() ? found->second.kind : Memory::kPageable;
}

Extent extent_at(const void* address) {
    const std::shared_lock lock(table().mutex);
    const auto found = table().around(number_of(address));
    if (found == table().ranges.end()) return {};
    const Range& range = found->second;
    return {range.kind, found->first, range.bytes, range.device, range.context == nullptr};
}

bool word_is_usable(CUdeviceptr address, const Context& context) {
    if (address % 4 != 0) {
        report_misuse("a value operation's address 0x%llx is not aligned", address);
        return false;
    }
    const std::shared_lock lock(table().mutex);
    const auto found = table().around(number_of(reinterpret_cast<void*>(address)));
    const char* complaint = nullptr;
    if (found == table().ranges.end()) {
        complaint = "is neither device memory nor registered (any more)";
    } else {
        const Range& range = found->second;
        const bool own = range.context == &context || range.portable || range.device == context.device->ordinal;
        if (range.kind == Memory::kRegistered && (address & kRegisteredBit) == 0)
            complaint = "is a host's address, not the device's of that memory";
        else if (range.kind == Memory::kRegistered && range.context != &context && !range.portable)
            complaint = "was registered in another context and not as portable";
        else if (!own)
            complaint = "belongs to another device";
    }
    if (complaint != nullptr) report_misuse("a value operation's address 0x%llx %s", address, complaint);
    return complaint == nullptr;
}

bool word_compares(const Command& command, const Context& context) {
    if (!word_is_usable(command.address, context)) return true;
    uint64_t now = 0;
    if (command.wide)
        now = __atomic_load_n(reinterpret_cast<uint64_t*>(host_of(command.address)), __ATOMIC_ACQUIRE);
    else
        now = __atomic_load_n(reinterpret_cast<uint32_t*>(host_of(command.address)), __ATOMIC_ACQUIRE);
    const uint64_t above = command.wide ? now - command.value : static_cast<uint32_t>(now - command.value);
    switch (command.compare & 3) {
        case CU_STREAM_WAIT_VALUE_EQ: return now == command.value;
        case CU_STREAM_WAIT_VALUE_AND: return (now & command.value) != 0;
        case CU_STREAM_WAIT_VALUE_NOR: return ~(now | command.value) != 0;
        default:
            return command.wide ? static_cast<int64_t>(above) >= 0 : static_cast<int32_t>(above) >= 0;  // GEQ, cyclic
    }
}

static std::atomic<long> g_device_writes{0};
long device_writes() { return g_device_writes.load(); }

void write_word(CUdeviceptr address, uint64_t value, bool wide, const Context& context) {
    if (!word_is_usable(address, context)) return;
    if (wide)
        __atomic_store_n(reinterpret_cast<uint64_t*>(host_of(address)), value, __ATOMIC_RELEASE);
    else
        __atomic_store_n(reinterpret_cast<uint32_t*>(host_of(address)), static_cast<uint32_t>(value), __ATOMIC_RELEASE);
    g_device_writes.fetch_add(1);
}

}  // namespace fake
