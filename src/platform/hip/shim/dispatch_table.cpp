// The third way in which calls reach the HIP shim, beside trampolines (stream/shim/entry_points.h) and functions that a
// program asks for by name (dlsym.cpp, proc_address.h): whatever way a call takes, it comes by here. A call may come
// back to us from inside one of ours: the runtime calls its own exported functions, or passes the table behind a
// trampoline. It goes straight on (shapes.h).
//
// The runtime's own table of functions, which since ROCm 6.2 it gives to a library that exports
// rocprofiler_set_api_table.
//
// Every entry that we hook is replaced; what it was is what the hook calls. A profiler (profiler.h) gets the table
// first, so that it sees what reaches the device. rocprofiler_configure, which the runtime looks for before it hands
// over anything, says that we are no profiler. The HSA runtime's table comes the same way (hsa_table.h).
#include <dlfcn.h>

#include <cstddef>
#include <cstring>

#include "base/log.h"
#include "platform/hip/hal/hal_abi.h"
#include "platform/hip/shim/hsa_table.h"
#include "platform/hip/shim/profiler.h"
#include "platform/stream/shim/entry_points.h"

namespace xsched::hip {
namespace {

using namespace stream;

struct Table {
    uint64_t bytes;  // of all of it; entries are only ever added at its end
    std::atomic<void*> entries[1];
};

void hook_entry(Table& table, uint32_t place, uint32_t entry) {
    if (offsetof(Table, entries) + (place + 1) * sizeof(void*) > table.bytes) return;
    void* hook = hook_of(entry);
    void* was = table.entries[place].load(std::memory_order_relaxed);
    if (was == nullptr || was == hook) return;
    g_driver[entry].store(was, std::memory_order_release);
    table.entries[place].store(hook, std::memory_order_release);
}

void hook_table(Table& table) {
#define TABLE_ENTRY(place, name) hook_entry(table, place, kEntry_##name);
#include "entry_points.inc"
    XLOG_DEBG("the HIP runtime's table of functions is hooked");
}

}  // namespace
}  // namespace xsched::hip

extern "C" [[gnu::visibility("default")]] int rocprofiler_set_api_table(const char* name, uint64_t version,
                                                                        uint64_t instance, void** tables,
                                                                        uint64_t count) {
    using namespace xsched::hip;
    using xsched::stream::resolved;
    const int result = pass_to_profiler(name, version, instance, tables, count);
    if (name == nullptr || tables == nullptr || count == 0 || instance != 0) return result;
    if (std::strcmp(name, "hip") == 0 && resolved()) hook_table(*static_cast<Table*>(tables[0]));
    if (std::strcmp(name, "hsa") == 0) hook_hsa_table(tables[0]);
    return result;
}

extern "C" [[gnu::visibility("default")]] void* rocprofiler_configure(uint32_t, const char*, uint32_t, void*) {
    return nullptr;
}
