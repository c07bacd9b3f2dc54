#include "platform/ascend/shim/contexts.h"

#include "platform/stream/hal/identity.h"

namespace xsched::ascend {
namespace {

// Returns a context that has scheduled streams on the device (0: on any); nullptr: there is none.
aclrtContext one_with_streams(XDevice device) {
    aclrtContext found = nullptr;
    stream::for_each_entry([&](const stream::StreamEntry& entry) {
        XqQueue* xqueue = entry.xqueue.load(std::memory_order_acquire);
        if (xqueue != nullptr && (device == 0 || xq_device(xqueue) == device)) found = entry.context.load();
    });
    return found;
}

}  // namespace

void device_going(int32_t device) {
    const XDevice identity = device >= 0 ? stream::device_identity(*stream::hal_api(), device) : 0;
    aclrtContext before = nullptr;
    for (aclrtContext context = one_with_streams(identity); context != before; context = one_with_streams(identity)) {
        stream::context_going(context);
        before = context;
    }
}

}  // namespace xsched::ascend

namespace xsched::stream {

// Nothing else is to be set up when the runtime's functions are known.
void driver_noted() {}

}  // namespace xsched::stream
