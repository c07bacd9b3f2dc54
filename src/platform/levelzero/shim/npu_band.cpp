#include "platform/levelzero/shim/npu_band.h"

#include <cerrno>
#include <cstring>

#include "base/log.h"
#include "platform/levelzero/shim/low_priority.h"

namespace xsched::levelzero {
namespace {

using NextIoctl = int (*)(int, unsigned long, void*);

// Other drivers of the kernel's DRM subsystem may have a request of the same number.
bool is_npu(int fd, NextIoctl next) {
    char name[16] = {};
    ivpu::Version version{};
    version.name = name;
    version.name_len = sizeof name - 1;
    if (next(fd, ivpu::kVersion, &version) != 0) return false;
    for (const char* known : ivpu::kDriverNames)
        if (std::strcmp(name, known) == 0) return true;
    return false;
}

}  // namespace

int create_npu_queue(int fd, unsigned long request, void* argument, NextIoctl next) {
    auto* wanted = static_cast<ivpu::CreateQueue*>(argument);
    if (wanted == nullptr) return next(fd, request, argument);
    const int saved = errno;
    ivpu::CreateQueue ours = *wanted;
    const int64_t priority = base::options().priority;
    ours.priority = band_for(wanted->priority, priority, is_low(priority));
    const bool changes = ours.priority != wanted->priority && is_npu(fd, next);
    errno = saved;
    if (!changes) return next(fd, request, argument);
    const int result = next(fd, request, &ours);
    if (result != 0 && (errno == EINTR || errno == EAGAIN)) return result;  // the program's driver repeats the call
    if (result != 0) {
        errno = saved;
        return next(fd, request, argument);
    }
    XLOG_DEBG("a queue of the NPU has the priority band %u instead of %u", ours.priority, wanted->priority);
    wanted->cmdq_id = ours.cmdq_id;
    errno = saved;
    return 0;
}

}  // namespace xsched::levelzero
