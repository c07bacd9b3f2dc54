#include "platform/stream/shim/early.h"

#include "base/options.h"
#include "platform/stream/shim/keep_errno.h"
#include "platform/stream/shim/streams.h"

namespace xsched::stream {

bool known_early() { return base::options().priority > PRIORITY_DEFAULT; }

void memory_allocated() {
    const KeepErrno keep;
    if (known_entry_of(nullptr, false) != nullptr) return;
    const StreamEntry* const entry = entry_of(nullptr, false);
    XqQueue* const queue = entry != nullptr ? entry->xqueue.load(std::memory_order_acquire) : nullptr;
    if (queue != nullptr) xq_prepare_early(queue);
}

}  // namespace xsched::stream
