#include "platform/stream/shim/no_driver.h"

#include "platform.h"

namespace xsched::stream {
namespace {

ascend::aclError no_device() { return ascend::ACL_ERROR_RT_NO_DEVICE; }
ascend::aclError not_supported() { return ascend::ACL_ERROR_RT_FEATURE_NOT_SUPPORT; }
const char* no_name() { return nullptr; }

}  // namespace

// Names that begin with "rt" are short enough for libraries that have nothing to do with CANN: one of those gets its
// calls, as without the shim.
void* without_driver(const char* name) {
    if (void* namesake = next_symbol(name)) return namesake;
    const Answer answers[] = {answer("aclrtGetSocName", &no_name)};
    void* found = find_answer(answers, name);
    return found != nullptr ? found : reinterpret_cast<void*>(&no_device);
}

void* without_function(const char*) { return reinterpret_cast<void*>(&not_supported); }

// Returns nullptr: functions of the runtime library are found through libascendcl.so, which needs that library.
void* companion_symbol(const char*) { return nullptr; }

}  // namespace xsched::stream
