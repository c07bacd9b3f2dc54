#include "fake/cuda/channels.h"

#include <dlfcn.h>
#include <sched.h>
#include <sys/ioctl.h>

#include <cstdlib>
#include <ctime>
#include <mutex>
#include <optional>

#include "fake/cuda/engine.h"
#include "fake/cuda/settings.h"
#include "fake/cuda/turns.h"
#include "fake/kfd/fake_kfd.h"
#include "fake/rm/fake_rm.h"
#include "host/rm_api.h"
#include "platform/hip/hal/kfd_api.h"

namespace fake {

thread_local const Channels* t_running = nullptr;

namespace {

using namespace xsched::cuda::rm;

constexpr uint32_t kCopyEngine = 0xb;
constexpr uint32_t kMemoryClass = 0x3e;
constexpr uint32_t kHopperChannel = 0xc86f;
constexpr unsigned kChannelsPerGroup = 4;

std::mutex g_mutex;
int g_file = -1;  // never closed, as the real driver's
uint32_t g_client = 0;
uint32_t g_devices[kMostDevices] = {};

// Makes an ioctl of the fake kernel driver, every second one wrapped in NV_ESC_IOCTL_XFER_CMD, as the real driver
// does with large ones.
void call(unsigned number, size_t bytes, void* parameters) {
    static unsigned calls = 0;
    nv_ioctl_xfer_t wrapped{number, static_cast<uint32_t>(bytes), reinterpret_cast<uintptr_t>(parameters)};
    if (++calls % 2 == 0)
        ioctl(g_file, _IOC(_IOC_READ | _IOC_WRITE, 'F', NV_ESC_IOCTL_XFER_CMD, sizeof wrapped), &wrapped);
    else
        ioctl(g_file, _IOC(_IOC_READ | _IOC_WRITE, 'F', number, bytes), parameters);
}

uint32_t allocate(uint32_t parent, uint32_t object_class, const void* parameters = nullptr) {
    static unsigned calls = 0;
    const auto address = reinterpret_cast<uintptr_t>(parameters);
    if (++calls % 3 == 0) {
        NVOS21_PARAMETERS request{g_client, parent, 0, object_class, address, 0, 0};
        call(NV_ESC_RM_ALLOC, sizeof request, &request);
        return request.status == NV_OK ? request.hObjectNew : 0;
    }
    NVOS64_PARAMETERS request{g_client, parent, 0, object_class, address, 0, 0, 0, 0};
    call(NV_ESC_RM_ALLOC, sizeof request, &request);
    return request.status == NV_OK ? request.hObjectNew : 0;
}

// Opens the fake kernel driver and allocates this process's client there. Returns false if there is no such driver.
// g_mutex held.
bool open_driver() {
    if (g_file >= 0) return true;
    const auto open_file = reinterpret_cast<decltype(&fake_rm_open)>(dlsym(RTLD_DEFAULT, "fake_rm_open"));
    g_file = open_file != nullptr ? open_file() : -1;
    if (g_file < 0) return false;
    g_client = allocate(0, NV01_ROOT_CLIENT);
    return g_client != 0;
}

uint32_t allocate_group(uint32_t device, uint32_t engine, uint32_t* first_channel) {
    const NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS parameters{0, 0, 0, engine};
    const uint32_t group = allocate(device, KEPLER_CHANNEL_GROUP_A, &parameters);
    for (unsigned i = 0; i < kChannelsPerGroup; ++i) {
        allocate(device, kMemoryClass);
        const uint32_t channel = allocate(group, kHopperChannel);
        if (i == 0) *first_channel = channel;
    }
    return group;
}

template <typename Function>
Function* function_of(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

// Creates the queues that AMD's runtime would make: two for kernels and one for copies. False: there is no such driver.
bool create_queues(Channels& channels) {
    namespace kfd = xsched::hip::kfd;
    auto* open_file = function_of<decltype(fake_kfd_open)>("fake_kfd_open");
    const int file = open_file != nullptr ? open_file() : -1;
    if (file < 0) return false;
    kfd::kfd_ioctl_runtime_enable_args runtime{0, 1, 0};
    if (const char* none = std::getenv("FAKE_KFD_NO_RUNTIME"); none == nullptr || *none != '1')
        ioctl(file, kfd::AMDKFD_IOC_RUNTIME_ENABLE, &runtime);
    for (uint32_t i = has_hsa() ? 2 : 0; i < 3; ++i) {  // those for kernels are the HSA stand-in's, where it is loaded
        kfd::kfd_ioctl_create_queue_args request{};
        request.ring_base_address = 0x10000 * (i + 1);
        request.ring_size = 0x1000;
        request.queue_type = i < 2 ? uint32_t{kfd::KFD_IOC_QUEUE_TYPE_COMPUTE_AQL} : 1;
        request.queue_percentage = 100;
        request.queue_priority = 7;
        if (ioctl(file, kfd::AMDKFD_IOC_CREATE_QUEUE, &request) == 0) channels.queues[i] = request.queue_id + 1;
    }
    if (!has_hsa())
        channels.disabled = function_of<decltype(fake_kfd_stopped)>("fake_kfd_stopped")(channels.queues[0] - 1);
    channels.halted = function_of<decltype(fake_kfd_halted)>("fake_kfd_halted");
    return true;
}

void destroy_queues(const Channels& channels) {
    namespace kfd = xsched::hip::kfd;
    for (uint32_t queue : channels.queues) {
        if (queue == 0) continue;
        kfd::kfd_ioctl_destroy_queue_args request{queue - 1, 0};
        ioctl(function_of<decltype(fake_kfd_open)>("fake_kfd_open")(), kfd::AMDKFD_IOC_DESTROY_QUEUE, &request);
    }
}

// Lets time pass while a kernel is simulated: sleeps, so that a long kernel uses no processor; near the kernel's end
// only yields, so that it ends in time.
void let_time_pass(int64_t left) {
    constexpr int64_t kNapNs = 50'000;
    if (left < 4 * kNapNs) return static_cast<void>(sched_yield());
    const timespec nap{0, kNapNs};
    nanosleep(&nap, nullptr);
}

}  // namespace

Channels allocate_channels(int ordinal) {
    Channels channels;
    channels.halted = function_of<bool()>("fake_acl_halted");  // of the stand-in for CANN
    const std::lock_guard lock(g_mutex);
    if (create_queues(channels) || !open_driver()) return channels;
    if (g_devices[ordinal] == 0) {
        const uint32_t number[16] = {static_cast<uint32_t>(ordinal)};
        g_devices[ordinal] = allocate(g_client, NV01_DEVICE_0, number);
        const uint32_t none = 0;
        allocate(g_devices[ordinal], NV20_SUBDEVICE_0, &none);
    }
    uint32_t copying = 0;
    uint32_t computing = 0;
    channels.groups[0] = allocate_group(g_devices[ordinal], NV2080_ENGINE_TYPE_GR0, &computing);
    channels.groups[1] = allocate_group(g_devices[ordinal], kCopyEngine, &copying);
    const auto word = reinterpret_cast<decltype(&fake_rm_disabled)>(dlsym(RTLD_DEFAULT, "fake_rm_disabled"));
    channels.disabled = word(g_file, g_client, computing);
    return channels;
}

void free_channels(Channels& channels) {
    const std::lock_guard lock(g_mutex);
    destroy_queues(channels);
    for (uint32_t group : channels.groups) {
        if (group == 0) continue;
        NVOS00_PARAMETERS request{g_client, 0, group, 0};
        call(NV_ESC_RM_FREE, sizeof request, &request);
    }
    channels = Channels{};
}

// Takes compute units of the fake KFD for a kernel while the object lives, beside other kernels. Without a fake KFD in
// the process, or without a hardware queue, it takes none.
class Beside {
public:
    Beside() {
        static auto* const begins = function_of<decltype(fake_kfd_run_begins)>("fake_kfd_run_begins");
        if (begins != nullptr && t_running != nullptr && t_running->queues[0] != 0)
            place_ = begins(t_running->queues[0] - 1);
    }
    ~Beside() {
        if (there()) function_of<decltype(fake_kfd_run_ended)>("fake_kfd_run_ended")(place_);
    }
    Beside(const Beside&) = delete;
    Beside& operator=(const Beside&) = delete;

    bool there() const { return place_ >= 0; }
    int64_t share_of(int64_t ns, bool may_run) const {
        static auto* const speed = function_of<decltype(fake_kfd_speed)>("fake_kfd_speed");
        return static_cast<int64_t>(static_cast<double>(ns) * speed(place_, may_run));
    }

private:
    int place_ = -1;
};

bool run_for(int64_t ns) {
    const Beside beside;
    std::optional<Turn> turn;
    if (!beside.there()) turn.emplace();
    bool was_off = false;
    int64_t before = clock_ns();
    while (ns > 0) {
        let_time_pass(ns);
        int64_t now = clock_ns();
        const bool may_run = t_running == nullptr || t_running->may_run();
        was_off = was_off || !may_run;
        if (!may_run && has_hsa() && t_device != nullptr) {
            t_device->run_others();
            now = clock_ns();
        }
        if (beside.there())
            ns -= beside.share_of(now - before, may_run);
        else if (may_run && turn->taken())
            ns -= now - before;
        before = turn ? turn->keep(may_run, now) : now;
    }
    return was_off;
}

}  // namespace fake
