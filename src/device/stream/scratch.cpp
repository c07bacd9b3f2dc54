#include "device/stream/scratch.h"

#include <new>

#include "base/mutex.h"

namespace xsched::stream {
namespace {

struct Scratch {
    Context context;
    DevicePtr memory;
    Scratch* next;
};

constinit base::Mutex g_mutex;
constinit Scratch* g_first = nullptr;

// g_mutex held.
Scratch** place_of(Context context) {
    Scratch** at = &g_first;
    while (*at != nullptr && (*at)->context != context) at = &(*at)->next;
    return at;
}

}  // namespace

DevicePtr scratch_of(const Api& api, Context context) {
    {
        base::Lock lock(g_mutex);
        if (const Scratch* known = *place_of(context)) return known->memory;
    }
    DevicePtr memory{};
    if (device_alloc(api, &memory, kScratchBytes) != kSuccess) return DevicePtr{};
    base::Lock lock(g_mutex);
    Scratch** at = place_of(context);
    if (*at == nullptr) *at = new (std::nothrow) Scratch{context, memory, nullptr};
    return memory;  // if another thread was faster, or this is not remembered, it goes with the context all the same
}

void forget_scratch(Context context) {
    base::Lock lock(g_mutex);
    Scratch** at = place_of(context);
    if (*at == nullptr) return;
    Scratch* gone = *at;
    *at = gone->next;
    delete gone;
}

}  // namespace xsched::stream
