#include "platform/stream/hal/scratch.h"

#include "platform/stream/hal/per_context.h"

namespace xsched::stream {
namespace {

constinit PerContext<Scratch> g_scratch;

}  // namespace

bool scratch_of(const Api& api, Context context, Scratch* scratch) {
    if (g_scratch.find(context, scratch)) return true;
    Scratch made;
    if (device_alloc(api, &made.memory, kScratchBytes) != kSuccess) return false;
    if (stream_create(api, &made.stream) != kSuccess) return false;
    g_scratch.remember(context, made);
    *scratch = made;  // if another thread was faster, or this is not remembered, it goes with the context all the same
    return true;
}

void forget_scratch(Context context) { g_scratch.forget(context); }

}  // namespace xsched::stream
