#include "platform/stream/hal/scratch.h"

#include "platform/stream/hal/per_context.h"

namespace xsched::stream {
namespace {

constinit PerContext<DevicePtr> g_scratch;

}  // namespace

DevicePtr scratch_of(const Api& api, Context context) {
    DevicePtr memory{};
    if (g_scratch.find(context, &memory)) return memory;
    if (device_alloc(api, &memory, kScratchBytes) != kSuccess) return DevicePtr{};
    g_scratch.remember(context, memory);
    return memory;  // if another thread was faster, or this is not remembered, it goes with the context all the same
}

void forget_scratch(Context context) { g_scratch.forget(context); }

}  // namespace xsched::stream
