#include "platform/cuda/shim/proc_address.h"

#include <string_view>

#include "base/new_functions.h"

namespace xsched::cuda {

using namespace stream;

namespace {

// An open-addressing table of the driver's symbols by address; several symbols may have one address. Written by
// note_addresses.
constexpr uint32_t kPlaces = 4096;
static_assert(kEntryPointCount < kPlaces / 2);
constinit std::atomic<uint16_t> g_places[kPlaces] = {};  // entry point + 1; 0: free

uint32_t first_place(const void* address) {
    return static_cast<uint32_t>((reinterpret_cast<uintptr_t>(address) >> 4) * 0x9e3779b97f4a7c15u >> 40) % kPlaces;
}

bool drop(std::string_view& name, std::string_view suffix) {
    if (!name.ends_with(suffix)) return false;
    name.remove_suffix(suffix.size());
    return true;
}

// Returns the name by which programs ask: cuMemcpyHtoD for cuMemcpyHtoD_v2_ptds.
std::string_view asked_name(std::string_view name) {
    if (!drop(name, "_ptsz")) drop(name, "_ptds");
    if (name.size() > 3 && name[name.size() - 3] == '_' && name[name.size() - 2] == 'v') name.remove_suffix(3);
    return name;
}

// Returns the entry point at that address that `symbol` meant; kEntryPointCount: none that is known.
uint32_t entry_at(const void* address, std::string_view symbol) {
    for (uint32_t place = first_place(address);; place = (place + 1) % kPlaces) {
        const uint32_t found = g_places[place].load(std::memory_order_relaxed);
        if (found == 0) return kEntryPointCount;
        const uint32_t entry = found - 1;
        if (g_driver[entry].load(std::memory_order_relaxed) == address &&
            (asked_name(name_of(entry)) == symbol || name_of(entry) == symbol))
            return entry;
    }
}

}  // namespace

void replace_address(const char* symbol, void** address) {
    if (symbol == nullptr || address == nullptr || *address == nullptr) return;
    const uint32_t entry = entry_at(*address, symbol);
    if (entry == kEntryPointCount) return base::tell_new_function(symbol);
    if (void* hook = hook_of(entry)) *address = hook;
}

}  // namespace xsched::cuda

namespace xsched::stream {

using namespace cuda;

void driver_noted() {
    memory::begin_evictable();
    for (uint32_t entry = 0; entry < kEntryPointCount; ++entry) {
        const void* address = g_driver[entry].load(std::memory_order_relaxed);
        if (address == nullptr) continue;
        uint32_t place = first_place(address);
        while (g_places[place].load(std::memory_order_relaxed) != 0) place = (place + 1) % kPlaces;
        g_places[place].store(static_cast<uint16_t>(entry + 1), std::memory_order_relaxed);
    }
}

}  // namespace xsched::stream
