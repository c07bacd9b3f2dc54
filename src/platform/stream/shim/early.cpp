#include "platform/stream/shim/early.h"

#include "base/options.h"
#include "platform/stream/shim/keep_errno.h"
#include "platform/stream/shim/streams.h"

namespace xsched::stream {

bool known_early() { return base::options().priority > PRIORITY_DEFAULT; }

void memory_allocated() {
    const KeepErrno keep;
    if (known_entry_of(nullptr, false) == nullptr) entry_of(nullptr, false);
}

}  // namespace xsched::stream
