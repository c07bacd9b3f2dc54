#include "platform/hip/hal/kfd_control.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/unique_fd.h"
#include "platform/hip/hal/kfd_api.h"

namespace xsched::hip::kfd {
namespace {

constexpr uint32_t kPatienceMs = 100;  // of a patched driver
// UPDATE_QUEUE is preferred for at most this many queues. A program with ordinary streams has 5: four that its streams
// share, and the HSA library's own (seen with ROCm 6.4.3 and 7.2.4, 33 streams). Not measured on hardware.
constexpr unsigned kMostByUpdate = 5;

uint64_t address_of(const void* memory) { return reinterpret_cast<uintptr_t>(memory); }

int made(int result) { return result < 0 ? errno : 0; }

int update(Ioctl call, const Queue& queue, uint32_t percentage) {
    kfd_ioctl_update_queue_args request{queue.ring_base_address, queue.id, queue.ring_size, percentage, queue.priority};
    return made(call(queue.fd, AMDKFD_IOC_UPDATE_QUEUE, &request));
}

int set_mask(Ioctl call, const Queue& queue, bool few) {
    const CuMask own = queue.mask != nullptr ? *queue.mask : CuMask{};
    const CuMask mask = few ? first_units(own, queue.few != 0 ? queue.few : few_of_gpu(queue.gpu_id)) : whole(own);
    kfd_ioctl_set_cu_mask_args request{queue.id, mask.bits, address_of(mask.words)};
    return made(call(queue.fd, AMDKFD_IOC_SET_CU_MASK, &request));
}

int change_one(Way way, Ioctl call, const Queue& queue, bool stop) {
    if (way == Way::kMask) return set_mask(call, queue, stop);
    if (way == Way::kUpdate) return update(call, queue, stop ? queue.percentage & ~kPercentageMask : queue.percentage);
    if (stop) {
        kfd_ioctl_preempt_queue_args request{queue.id, kPreemptSave, kPatienceMs, 0};
        return made(call(queue.fd, AMDKFD_IOC_PREEMPT_QUEUE, &request));
    }
    kfd_ioctl_resume_queue_args request{queue.id, {}};
    return made(call(queue.fd, AMDKFD_IOC_RESUME_QUEUE, &request));
}

// --- as a debugger of this very process

int debug(Ioctl call, int fd, kfd_ioctl_dbg_trap_args& request, uint32_t op) {
    request.pid = static_cast<uint32_t>(getpid());
    request.op = op;
    return call(fd, AMDKFD_IOC_DBG_TRAP, &request);
}

// Attaches as a debugger. Returns 0 or errno. EPERM: the runtime has not registered with the driver. EBUSY, EALREADY,
// EINVAL: another program debugs or samples the process.
int attach(Ioctl call, int fd) {
    const base::UniqueFd events(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));  // none is asked for
    if (!events) return errno;
    kfd_runtime_info info{};
    kfd_ioctl_dbg_trap_args request{};
    request.enable = {0, address_of(&info), sizeof info, static_cast<uint32_t>(events.get())};
    return made(debug(call, fd, request, KFD_IOC_DBG_TRAP_ENABLE));
}

int see_new_queues(Ioctl call, int fd) {
    kfd_queue_snapshot_entry entries[kMostQueues] = {};
    kfd_ioctl_dbg_trap_args request{};
    request.queue_snapshot = {kMaskQueueNew, address_of(entries), kMostQueues, sizeof entries[0]};
    return made(debug(call, fd, request, KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT));
}

// One call to suspend or resume, and what became of each queue.
struct Switched {
    int result;  // as the call returned it: the number of queues that were switched, or -1
    int error;   // errno; 0 if the call succeeded
    unsigned missing = 0;
    unsigned failed = 0;
};

Switched switch_queues(Ioctl call, uint32_t op, const Queue* queues, unsigned count) {
    uint32_t ids[kMostQueues];
    for (unsigned i = 0; i < count; ++i) ids[i] = queues[i].id;
    kfd_ioctl_dbg_trap_args request{};
    if (op == KFD_IOC_DBG_TRAP_SUSPEND_QUEUES)
        request.suspend_queues = {0, address_of(ids), count, 0};
    else
        request.resume_queues = {address_of(ids), count, 0};
    Switched switched{.result = debug(call, queues[0].fd, request, op), .error = 0};
    if (switched.result < 0) switched.error = errno;
    for (unsigned i = 0; i < count; ++i) {
        if ((ids[i] & kQueueError) != 0)
            ++switched.failed;
        else if ((ids[i] & kQueueInvalid) != 0)
            ++switched.missing;
    }
    return switched;
}

// Resumes the queues as their debugger. KFD returns how many it resumed, which is 0 if its scheduler has failed. Queues
// that stayed suspended would keep the program waiting for ever.
int resume_as_debugger(Ioctl call, Debugger& debugger, const Queue* queues, unsigned count) {
    const Switched switched = switch_queues(call, KFD_IOC_DBG_TRAP_RESUME_QUEUES, queues, count);
    if (switched.result == static_cast<int>(count) && switched.failed == 0) return 0;
    detach(call, debugger, queues[0].fd);
    return switched.result < 0 ? switched.error : EIO;
}

int prepare(Ioctl call, Debugger& debugger, int fd) {
    if (!debugger.attached)
        if (const int error = attach(call, fd); error != 0) return error;
    debugger.attached = true;
    if (debugger.unseen)
        if (const int error = see_new_queues(call, fd); error != 0) return error;
    debugger.unseen = false;
    return 0;
}

int try_to_suspend(Ioctl call, Debugger& debugger, const Queue* queues, unsigned count) {
    if (const int error = prepare(call, debugger, queues[0].fd); error != 0) return error;
    const Switched switched = switch_queues(call, KFD_IOC_DBG_TRAP_SUSPEND_QUEUES, queues, count);
    if (switched.result < 0) return switched.error;
    const auto suspended = static_cast<unsigned>(switched.result);
    if (suspended == count && switched.failed == 0) return 0;
    const Switched back = switch_queues(call, KFD_IOC_DBG_TRAP_RESUME_QUEUES, queues, count);
    const bool missing = switched.missing > 0 && suspended + switched.missing == count;
    return missing && back.result >= switched.result ? kQueueMissing : EBUSY;
}

int suspend_as_debugger(Ioctl call, Debugger& debugger, const Queue* queues, unsigned count) {
    int error = try_to_suspend(call, debugger, queues, count);
    if (error == kQueueMissing) {  // or one that no snapshot has shown yet
        debugger.unseen = true;
        error = try_to_suspend(call, debugger, queues, count);
    }
    if (error != 0 && error != kQueueMissing) detach(call, debugger, queues[0].fd);
    return error;
}

// --- the kernel's files

// Reads a small file into `text`, ended by a zero. The text is empty if the file cannot be read.
void read_text(const char* path, char* text, size_t bytes) {
    const base::UniqueFd file(open(path, O_RDONLY | O_CLOEXEC));
    const ssize_t got = file ? read(file.get(), text, bytes - 1) : 0;
    text[got > 0 ? got : 0] = '\0';
}

}  // namespace

uint32_t few_of_gpu(uint32_t gpu_id) {
    constexpr int kMostNodes = 256;
    char path[96], text[4096];
    for (int node = 0; node < kMostNodes; ++node) {
        snprintf(path, sizeof path, "/sys/class/kfd/kfd/topology/nodes/%d/gpu_id", node);
        read_text(path, text, sizeof text);
        if (*text == '\0') break;
        if (strtoul(text, nullptr, 10) != gpu_id) continue;
        snprintf(path, sizeof path, "/sys/class/kfd/kfd/topology/nodes/%d/properties", node);
        read_text(path, text, sizeof text);
        return few_units(shape_in(text));
    }
    return few_units({});
}

const char* name_of(Way way) {
    constexpr const char* kNames[kWays] = {"UPDATE_QUEUE", "DBG_TRAP", "PREEMPT_QUEUE", "SET_CU_MASK"};
    return kNames[static_cast<uint32_t>(way)];
}

Way way_of(const char* name) {
    constexpr const char* kNames[kWays] = {"update", "debug", "preempt", "mask"};
    for (unsigned i = 0; i < kWays; ++i)
        if (strcmp(name, kNames[i]) == 0) return static_cast<Way>(i);
    return Way::kNone;
}

Way best_way(unsigned count, uint32_t refused) {
    constexpr Way kForFew[kWays] = {Way::kMask, Way::kUpdate, Way::kDebugger, Way::kPreempt};
    constexpr Way kForMany[kWays] = {Way::kMask, Way::kDebugger, Way::kUpdate, Way::kPreempt};
    for (const Way way : count > kMostByUpdate ? kForMany : kForFew)
        if ((refused & 1u << static_cast<uint32_t>(way)) == 0) return way;
    return Way::kNone;
}

void detach(Ioctl call, Debugger& debugger, int fd) {
    kfd_ioctl_dbg_trap_args request{};
    if (debugger.attached) debug(call, fd, request, KFD_IOC_DBG_TRAP_DISABLE);
    debugger = Debugger{};
}

int suspend(Way way, Ioctl call, Debugger& debugger, const Queue* queues, unsigned count) {
    if (count == 0) return 0;
    if (way == Way::kDebugger) return suspend_as_debugger(call, debugger, queues, count);
    for (unsigned i = 0; i < count; ++i) {
        const int error = change_one(way, call, queues[i], true);
        if (error == 0) continue;
        while (i-- > 0) change_one(way, call, queues[i], false);
        return error;
    }
    return 0;
}

int resume(Way way, Ioctl call, Debugger& debugger, const Queue* queues, unsigned count) {
    if (count == 0) return 0;
    if (way == Way::kDebugger) return resume_as_debugger(call, debugger, queues, count);
    int first = 0;
    for (unsigned i = 0; i < count; ++i) {
        const int error = change_one(way, call, queues[i], false);
        if (first == 0) first = error;
    }
    return first;
}

}  // namespace xsched::hip::kfd
