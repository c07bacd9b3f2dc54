#include "server/thread/resident.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>

#include "base/log.h"

namespace xsched::server {
namespace {

// Returns whether the process may lock any amount of memory: its limit is infinite, or it may lock more than the limit
// (CAP_IPC_LOCK). Without that right the kernel refuses to lock anything under a limit of 0.
bool is_unlimited() {
    rlimit limit{};
    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY) return true;
    constexpr size_t kProbeBytes = 1 << 16;
    const rlimit none{0, limit.rlim_max};
    if (setrlimit(RLIMIT_MEMLOCK, &none) != 0) return false;
    void* probe = mmap(nullptr, kProbeBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const bool locked = probe != MAP_FAILED && mlock(probe, kProbeBytes) == 0;
    if (probe != MAP_FAILED) munmap(probe, kProbeBytes);
    setrlimit(RLIMIT_MEMLOCK, &limit);
    return locked;
}

}  // namespace

bool stay_resident() {
    // Two calls, because threads' stacks are large, and only their touched pages should be locked.
    if (is_unlimited() && mlockall(MCL_CURRENT) == 0 && mlockall(MCL_FUTURE | MCL_ONFAULT) == 0) return true;
    XLOG_DEBG("memory is not locked (%s)", strerror(errno));
    return false;
}

}  // namespace xsched::server
