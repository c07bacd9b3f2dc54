#include "fake/kfd/fake_kfd.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>

#include "fake/ioctl.h"
#include "fake/kfd/units.h"
#include "platform/hip/hal/kfd_api.h"

namespace fake::kfd {
namespace {

using namespace xsched::hip::kfd;

constexpr unsigned kMostQueues = 64;

struct Queue {
    bool used = false;
    bool seen = false;       // by a debugger
    bool suspended = false;  // by it
    bool preempted = false;  // in the patched driver's way
    uint32_t type = 0;
    uint32_t percentage = 0;
    std::atomic<uint32_t> stands{0};
    std::atomic<uint64_t> mask{UINT64_MAX};  // of compute units
    std::atomic<uint32_t> priority{0};       // from 0 to 15
};

// Memory that a process shares with its forked children. It counts the calls that processes made other than the one
// that opened the device.
struct Shared {
    std::atomic<unsigned> strangers{0};
};
// The part that all users of the device share: until when nothing runs.
struct Device {
    std::atomic<int64_t> halted_until_ns{0};
    Runs runs;
};

std::mutex g_mutex;
Queue g_queues[kMostQueues];
int g_file = -1;
pid_t g_owner = 0;
bool g_debugged = false;
unsigned g_calls[256] = {};
Shared* g_shared = nullptr;
Device* g_device = nullptr;
bool g_runtime = false;  // it has told of itself
bool g_evicted = false;
bool g_lock_held = false;  // by a call that failed
long g_updates = 0, g_failed_updates = 0;
long g_suspends = 0, g_resumes = 0;  // by the debugger

long setting(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? std::strtol(value, nullptr, 10) : 0;
}

int64_t clock_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

void pause_us(long us) {
    const timespec time{us / 1'000'000, us % 1'000'000 * 1000};
    nanosleep(&time, nullptr);
}

// Simulates the cost of a call that takes the queues of all processes off the hardware and puts them back: no queue
// runs for FAKE_KFD_COST_US.
void round_of_all() {
    static const long cost_us = setting("FAKE_KFD_COST_US");
    if (cost_us == 0) return;
    g_device->halted_until_ns = clock_ns() + cost_us * 1000;
    pause_us(cost_us);
}

template <typename T>
T* map(int file) {
    const int how = file >= 0 ? MAP_SHARED : MAP_SHARED | MAP_ANONYMOUS;
    return static_cast<T*>(mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, how, file, 0));
}

Device* map_device() {
    const char* path = std::getenv("FAKE_KFD_SHARED");
    const int file = path != nullptr ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file >= 0 && ftruncate(file, sizeof(Device)) != 0) abort();
    Device* device = map<Device>(file);
    if (file >= 0) close(file);
    return device;
}

bool for_show() {
    static const bool asked = std::getenv("FAKE_KFD_NO_EFFECT") != nullptr;
    return asked;
}

// g_mutex held, from here on.
void settle(Queue& queue) {
    if (for_show()) return;
    queue.stands = queue.used && ((queue.percentage & kPercentageMask) == 0 || queue.suspended || queue.preempted ||
                                  (g_evicted && queue.type == KFD_IOC_QUEUE_TYPE_COMPUTE_AQL));
}

// Memory that queues use moves.
void* evict_now_and_then(void* us) {
    for (const long every_us = reinterpret_cast<long>(us);;) {
        {
            const std::lock_guard lock(g_mutex);  // calls wait meanwhile
            for (const bool evicted : {true, false}) {
                g_evicted = evicted;
                for (Queue& queue : g_queues) settle(queue);
                if (evicted) pause_us(1000);
            }
        }
        pause_us(every_us);
    }
    return nullptr;
}

Queue* find(uint32_t id) { return id < kMostQueues && g_queues[id].used ? &g_queues[id] : nullptr; }

int refusal_of(unsigned number) {
    const char* at = std::getenv("FAKE_KFD_REFUSE");
    while (at != nullptr && *at != '\0') {
        char* end = nullptr;
        const unsigned long refused = strtoul(at, &end, 16);
        if (*end != ':') return 0;
        const int error = static_cast<int>(strtol(end + 1, &end, 10));
        if (refused == number) return error;
        at = *end == ',' ? end + 1 : nullptr;
    }
    return 0;
}

int create(kfd_ioctl_create_queue_args& request) {
    for (uint32_t id = 0; id < kMostQueues; ++id) {  // the lowest free number, as the real one
        Queue& queue = g_queues[id];
        if (queue.used) continue;
        queue.used = true;
        queue.seen = queue.suspended = queue.preempted = false;
        queue.mask = UINT64_MAX;
        queue.type = request.queue_type;
        queue.percentage = request.queue_percentage;
        queue.priority = request.queue_priority;
        request.queue_id = id;
        settle(queue);
        return 0;
    }
    return -ENOMEM;
}

int destroy(const kfd_ioctl_destroy_queue_args& request) {
    Queue* queue = find(request.queue_id);
    if (queue == nullptr) return -EINVAL;
    if (queue->suspended) return -EBUSY;
    queue->used = false;
    settle(*queue);
    return 0;
}

int update(const kfd_ioctl_update_queue_args& request) {
    Queue* queue = find(request.queue_id);
    if (queue == nullptr || (request.queue_percentage & kPercentageMask) > 100 || request.queue_priority > 15)
        return -EINVAL;
    if (++g_updates == setting("FAKE_KFD_EFAULT")) {
        g_lock_held = true;
        return -EFAULT;
    }
    const bool goes_on = (request.queue_percentage & kPercentageMask) != 0;
    if (goes_on && g_failed_updates < setting("FAKE_KFD_UPDATE_ERRORS")) {
        ++g_failed_updates;
        return -EIO;
    }
    queue->percentage = request.queue_percentage;
    if (!for_show()) queue->priority = request.queue_priority;
    settle(*queue);
    round_of_all();
    return 0;
}

int set_mask(const kfd_ioctl_set_cu_mask_args& request) {
    if (request.num_cu_mask == 0 || request.num_cu_mask % 32 != 0) return -EINVAL;
    const auto* words = reinterpret_cast<const uint32_t*>(request.cu_mask_ptr);
    if (words == nullptr) return -EFAULT;
    Queue* queue = find(request.queue_id);
    if (queue == nullptr) return -EINVAL;
    if (!for_show()) queue->mask = words[0] | (request.num_cu_mask > 32 ? uint64_t{words[1]} << 32 : 0);
    round_of_all();
    return 0;
}

int preempt(uint32_t id, bool stop) {
    Queue* queue = find(id);
    if (queue == nullptr) return -EINVAL;
    queue->preempted = stop;
    settle(*queue);
    round_of_all();
    return 0;
}

bool idle_call(bool suspend) { return !suspend && ++g_resumes == setting("FAKE_KFD_IDLE_RESUME"); }

// Injected fault: the first calls to suspend (FAKE_KFD_MISSES) do not find the last of their queues, as if it were
// just being destroyed.
bool misses_last(bool suspend) { return suspend && ++g_suspends <= setting("FAKE_KFD_MISSES"); }

int switch_queues(uint64_t ids, uint32_t count, bool suspend) {
    if (idle_call(suspend)) return 0;
    const bool misses = misses_last(suspend);
    auto* id = reinterpret_cast<uint32_t*>(ids);
    int done = 0;
    for (uint32_t i = 0; i < count; ++i) {
        Queue* queue = find(id[i]);
        if (queue == nullptr || !queue->seen || (misses && i + 1 == count)) {
            id[i] |= 1u << 31;
            continue;
        }
        queue->suspended = suspend;
        settle(*queue);
        ++done;
    }
    round_of_all();
    return done;
}

// Detaching resumes all queues that the debugger has suspended.
int attach(bool attached) {
    g_debugged = attached;
    for (Queue& queue : g_queues) {
        if (!queue.suspended) continue;
        queue.suspended = false;
        settle(queue);
    }
    return 0;
}

int debug(kfd_ioctl_dbg_trap_args& request) {
    if (request.pid != static_cast<uint32_t>(g_owner)) return -EPERM;
    if (!g_runtime) return -EPERM;
    if ((request.op == KFD_IOC_DBG_TRAP_ENABLE) == g_debugged) return -EINVAL;
    switch (request.op) {
        case KFD_IOC_DBG_TRAP_ENABLE:
        case KFD_IOC_DBG_TRAP_DISABLE: return attach(request.op == KFD_IOC_DBG_TRAP_ENABLE);
        case KFD_IOC_DBG_TRAP_SUSPEND_QUEUES:
            return switch_queues(request.suspend_queues.queue_array_ptr, request.suspend_queues.num_queues, true);
        case KFD_IOC_DBG_TRAP_RESUME_QUEUES:
            return switch_queues(request.resume_queues.queue_array_ptr, request.resume_queues.num_queues, false);
        case KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT:
            for (Queue& queue : g_queues)
                if (queue.used && (request.queue_snapshot.exception_mask & kMaskQueueNew) != 0) queue.seen = true;
            return 0;
        default: return -EINVAL;
    }
}

int answer(unsigned long request, void* argument) {
    if (const int error = refusal_of(_IOC_NR(request)); error != 0) return -error;
    if (g_lock_held && request != AMDKFD_IOC_CREATE_QUEUE && request != AMDKFD_IOC_DESTROY_QUEUE) {
        fprintf(stderr, "fake_kfd: misuse: a call after EFAULT, which would never return\n");
        abort();
    }
    switch (request) {
        case kFakeKfdGetVersion: *static_cast<FakeKfdVersion*>(argument) = {1, kFakeKfdMinor}; return 0;
        case AMDKFD_IOC_RUNTIME_ENABLE:
            g_runtime = static_cast<kfd_ioctl_runtime_enable_args*>(argument)->mode_mask != 0;
            return 0;
        case AMDKFD_IOC_CREATE_QUEUE: return create(*static_cast<kfd_ioctl_create_queue_args*>(argument));
        case AMDKFD_IOC_DESTROY_QUEUE: return destroy(*static_cast<kfd_ioctl_destroy_queue_args*>(argument));
        case AMDKFD_IOC_UPDATE_QUEUE: return update(*static_cast<kfd_ioctl_update_queue_args*>(argument));
        case AMDKFD_IOC_SET_CU_MASK: return set_mask(*static_cast<kfd_ioctl_set_cu_mask_args*>(argument));
        case AMDKFD_IOC_DBG_TRAP: return debug(*static_cast<kfd_ioctl_dbg_trap_args*>(argument));
        case AMDKFD_IOC_PREEMPT_QUEUE:
            return preempt(static_cast<kfd_ioctl_preempt_queue_args*>(argument)->queue_id, true);
        case AMDKFD_IOC_RESUME_QUEUE:
            return preempt(static_cast<kfd_ioctl_resume_queue_args*>(argument)->queue_id, false);
        default: return -ENOTTY;
    }
}

int called(unsigned long request, void* argument) {
    if (getpid() != g_owner) {
        g_shared->strangers.fetch_add(1);
        return -EBADF;
    }
    const std::lock_guard lock(g_mutex);
    const int result = answer(request, argument);
    if (result >= 0) ++g_calls[_IOC_NR(request)];
    return result;
}

unsigned count(uint32_t type, bool standing) {
    const std::lock_guard lock(g_mutex);
    unsigned found = 0;
    for (const Queue& queue : g_queues)
        found += queue.used && queue.type == type && (!standing || queue.stands != 0) ? 1 : 0;
    return found;
}

}  // namespace
}  // namespace fake::kfd

using namespace fake::kfd;

int fake::called_ioctl(int fd, unsigned long request, void* argument) {
    if (fd < 0 || fd != g_file) return next_ioctl(fd, request, argument);
    const int result = called(request, argument);
    if (result >= 0) return result;
    errno = -result;
    return -1;
}

extern "C" {

int fake_kfd_open(void) {
    const char* wanted = std::getenv("FAKE_KFD");
    if (wanted == nullptr || *wanted != '1') return -1;
    const std::lock_guard lock(g_mutex);
    if (g_file >= 0) return g_file;
    g_shared = map<Shared>(-1);
    g_device = map_device();
    pthread_t evictor{};
    // The mutex is locked during a fork, so that it is free in the child.
    pthread_atfork([] { g_mutex.lock(); }, [] { g_mutex.unlock(); }, [] { g_mutex.unlock(); });
    if (const long us = setting("FAKE_KFD_EVICT_US"); us > 0)
        pthread_create(&evictor, nullptr, evict_now_and_then, reinterpret_cast<void*>(us));
    g_owner = getpid();
    g_file = memfd_create("fake-kfd", MFD_CLOEXEC);
    return g_file;
}

const std::atomic<uint32_t>* fake_kfd_stopped(uint32_t id) {
    const std::lock_guard lock(g_mutex);
    Queue* queue = find(id);
    return queue != nullptr ? &queue->stands : nullptr;
}

bool fake_kfd_halted(void) {
    const int64_t until_ns = g_device->halted_until_ns.load(std::memory_order_relaxed);
    return until_ns != 0 && clock_ns() < until_ns;
}
uint64_t fake_kfd_mask(uint32_t id) {
    const std::lock_guard lock(g_mutex);
    const Queue* queue = find(id);
    return queue != nullptr ? queue->mask.load() : 0;
}
unsigned fake_kfd_masked(uint32_t type) {
    const std::lock_guard lock(g_mutex);
    unsigned found = 0;
    for (const Queue& queue : g_queues) found += queue.used && queue.type == type && queue.mask != UINT64_MAX ? 1 : 0;
    return found;
}
uint32_t fake_kfd_priority(uint32_t id) {
    const std::lock_guard lock(g_mutex);
    const Queue* queue = find(id);
    return queue != nullptr ? queue->priority.load() : UINT32_MAX;
}
int fake_kfd_run_begins(uint32_t id) {
    const Queue& queue = g_queues[id % kMostQueues];
    return g_device->runs.begin(queue.mask, queue.priority);
}
double fake_kfd_speed(int place, bool runs) { return g_device->runs.speed(place, runs); }
void fake_kfd_run_ended(int place) { g_device->runs.end(place); }
unsigned fake_kfd_queues(uint32_t type) { return count(type, false); }
unsigned fake_kfd_standing(uint32_t type) { return count(type, true); }
unsigned fake_kfd_calls(unsigned number) {
    const std::lock_guard lock(g_mutex);
    return g_calls[number & 255];
}
unsigned fake_kfd_strangers(void) { return g_shared->strangers.load(); }
}
