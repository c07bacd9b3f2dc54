// Memory of other processes that this one has opened by a name of XSched's (shared_name.h; cuIpcOpenMemHandle). The
// pieces are mapped side by side. They last as long as a process has them mapped, also beyond the end of the process
// that has made them. Any thread. No lock is held while the driver is called.
#pragma once

#include <atomic>
#include <cstddef>

#include "platform/stream/shim/memory/vendor_call.h"

namespace xsched::stream::memory {

extern std::atomic<bool> g_some_opened;
inline bool some_opened() { return g_some_opened.load(std::memory_order_relaxed); }

// Open and close such memory in place of the driver's calls, whose result is stored in `code`. Return false if the name
// or the memory is none of ours.
bool open_named(Address* memory, const IpcName& name, Result* code);
bool close_named(Address memory, Result* code);
// Finds the whole range of opened memory around an address. Returns false if there is none.
bool find_opened(Address address, Address* begin, size_t* bytes);
// Closes the memory of a context. Call before the driver destroys the context.
void forget_opened(Context context);
// Forgets all memory in a forked child, which has no device.
void forget_all_opened();

template <EntryPoint kEntry>
Result open_shared_memory(DevicePtr* memory, IpcName name, unsigned flags) {
    Address opened = 0;
    if (Result code = kSuccess; open_named(memory != nullptr ? &opened : nullptr, name, &code)) {
        if (code == kSuccess) *memory = pointer_to(opened);
        return code;
    }
    return driver<kEntry>()(memory, name, flags);
}

template <EntryPoint kEntry>
Result close_shared_memory(DevicePtr memory) {
    if (Result code = kSuccess; some_opened() && close_named(address_in(memory), &code)) return code;
    return driver<kEntry>()(memory);
}

}  // namespace xsched::stream::memory
