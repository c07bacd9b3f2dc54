#include "debugger.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "faults.h"
#include "queues.h"

namespace kfd {
namespace {

std::atomic<bool> g_runtime{false};   // it has told the driver of itself
std::atomic<bool> g_attached{false};

Answer attach(bool on) {
    const Fault fault = fault_of(on ? "enable" : "disable");
    if (fault.kind == Fault::kError) return -fault.error;
    if (on && g_attached) return -EALREADY;
    g_attached = on;
    if (!on) resume_all();
    return 0;
}

template <typename T>
T* pointer(uint64_t address) {
    return reinterpret_cast<T*>(address);
}

// Returns whether KFD allows this debugger operation only if the process's runtime is enabled, as
// kfd_ioctl_set_debug_trap does.
bool needs_runtime(uint32_t op) {
    return op == KFD_IOC_DBG_TRAP_SUSPEND_QUEUES || op == KFD_IOC_DBG_TRAP_RESUME_QUEUES;
}

}  // namespace

Answer enable_runtime(const kfd_ioctl_runtime_enable_args& asked) {
    g_runtime = (asked.mode_mask & KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK) != 0;
    return 0;
}

Answer debug(kfd_ioctl_dbg_trap_args& asked) {
    say(1, "DBG_TRAP: operation %u", asked.op);
    if (asked.pid != static_cast<uint32_t>(getpid())) return -EPERM;  // no other process is traced here
    if (asked.op != KFD_IOC_DBG_TRAP_ENABLE && !g_attached) return -EINVAL;
    if (needs_runtime(asked.op) && !g_runtime) return -EPERM;
    switch (asked.op) {
        case KFD_IOC_DBG_TRAP_ENABLE: return attach(true);
        case KFD_IOC_DBG_TRAP_DISABLE: return attach(false);
        case KFD_IOC_DBG_TRAP_SUSPEND_QUEUES:
            return suspend_queues(pointer<uint32_t>(asked.suspend_queues.queue_array_ptr),
                                  asked.suspend_queues.num_queues);
        case KFD_IOC_DBG_TRAP_RESUME_QUEUES:
            return resume_queues(pointer<uint32_t>(asked.resume_queues.queue_array_ptr),
                                 asked.resume_queues.num_queues);
        case KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT:
            if (const Fault fault = fault_of("snapshot"); fault.kind == Fault::kError) return -fault.error;
            return snapshot(asked.queue_snapshot);
        default: return -EINVAL;
    }
}

}  // namespace kfd
