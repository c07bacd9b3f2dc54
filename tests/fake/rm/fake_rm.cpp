#include "fake/rm/fake_rm.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "fake/ioctl.h"
#include "host/rm_api.h"

namespace fake::rm {
namespace {

using namespace xsched::cuda::rm;

constexpr uint32_t NV_ERR_INSERT_DUPLICATE_NAME = 0x19;

// The files of the driver's processes that this process has mapped, found by their inode.
struct Mapping {
    dev_t device;
    ino_t inode;
    State* state;
};
constexpr unsigned kMostMappings = 256;
std::mutex g_mutex;
Mapping g_mappings[kMostMappings];
unsigned g_mapping_count = 0;
thread_local bool t_disabled = false;  // the call that is made disables channels

int real_fstat(int fd, struct stat* info) { return static_cast<int>(syscall(SYS_fstat, fd, info)); }

// nullptr: not one of ours.
State* state_of(int fd) {
    struct stat info{};
    const int saved = errno;
    const bool looks_so = fd >= 0 && real_fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
                          info.st_size == static_cast<off_t>(sizeof(State));
    errno = saved;
    if (!looks_so) return nullptr;
    const std::lock_guard lock(g_mutex);
    for (unsigned i = 0; i < g_mapping_count; ++i)
        if (g_mappings[i].device == info.st_dev && g_mappings[i].inode == info.st_ino) return g_mappings[i].state;
    void* memory = mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) {
        errno = saved;
        return nullptr;
    }
    auto* state = static_cast<State*>(memory);
    if (state->magic != kMagic || g_mapping_count == kMostMappings) {
        munmap(memory, sizeof(State));
        return nullptr;
    }
    g_mappings[g_mapping_count++] = {info.st_dev, info.st_ino, state};
    return state;
}

class Turn {
public:
    explicit Turn(State& state) : state_(state) {
        if (pthread_mutex_lock(&state_.mutex) == EOWNERDEAD) pthread_mutex_consistent(&state_.mutex);
    }
    ~Turn() { pthread_mutex_unlock(&state_.mutex); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

private:
    State& state_;
};

Object* find(State& state, uint32_t client, uint32_t handle) {
    for (Object& object : state.objects)
        if (object.used != 0 && object.client == client && object.handle == handle) return &object;
    return nullptr;
}

// Calls `visit` for all files in our folder until it returns false.
template <typename Visit>
void for_each_file(Visit visit) {
    const char* directory = std::getenv("FAKE_RM_DIR");
    DIR* list = directory != nullptr ? opendir(directory) : nullptr;
    if (list == nullptr) return;
    for (bool more = true; more;) {
        const dirent* entry = readdir(list);
        if (entry == nullptr) break;
        struct stat info{};
        const int fd = openat(dirfd(list), entry->d_name, O_RDWR | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0) continue;
        if (real_fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == static_cast<off_t>(sizeof(State)))
            more = visit(fd);
        close(fd);
    }
    closedir(list);
}

// Returns whether the file of this descriptor has the client. The file is mapped only for this look.
bool holds(int fd, uint32_t client) {
    void* memory = mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) return false;
    auto* state = static_cast<State*>(memory);
    const bool found = state->magic == kMagic && find(*state, client, client) != nullptr;
    munmap(memory, sizeof(State));
    return found;
}

// Returns whether some process has this client number: each is of one process at a time, also if the process has chosen
// it.
bool is_taken(uint32_t client) {
    bool taken = false;
    for_each_file([&](int fd) { return !(taken = holds(fd, client)); });
    return taken;
}

uint32_t gpu_of(State& state, const Object& object) {
    for (const Object* at = &object; at != nullptr; at = find(state, at->client, at->parent))
        if (at->object_class == NV01_DEVICE_0) return at->gpu;
    return 0;
}

uint32_t allocate(State& state, NVOS21_PARAMETERS& request) {
    Object* place = nullptr;
    for (Object& object : state.objects)
        if (object.used == 0 && place == nullptr) place = &object;
    if (place == nullptr) return 0x51;  // no memory
    const bool chosen = request.hObjectNew != 0;
    if (!chosen) request.hObjectNew = ++state.next_handle | 0x5c000000;
    if (chosen && is_root_class(request.hClass) && is_taken(request.hObjectNew)) return NV_ERR_INSERT_DUPLICATE_NAME;
    const uint32_t client = is_root_class(request.hClass) ? request.hObjectNew : request.hRoot;
    if (!is_root_class(request.hClass) && find(state, client, client) == nullptr) return NV_ERR_INVALID_CLIENT;
    place->used = 1;
    place->client = client;
    place->handle = request.hObjectNew;
    place->parent = is_root_class(request.hClass) ? 0 : request.hObjectParent;
    place->object_class = request.hClass;
    place->timeslice_us = kTimesliceUs;
    place->disabled = 0;
    const auto* words = reinterpret_cast<const uint32_t*>(request.pAllocParms);
    place->gpu = request.hClass == NV01_DEVICE_0 && words != nullptr ? words[0] : 0;
    place->engine = request.hClass == KEPLER_CHANNEL_GROUP_A && words != nullptr ? words[3] : 0;
    return NV_OK;
}

uint32_t release(State& state, uint32_t client, uint32_t handle) {
    if (find(state, client, handle) == nullptr) return NV_ERR_OBJECT_NOT_FOUND;
    for (Object& object : state.objects) {
        if (object.used == 0 || object.client != client) continue;
        if (object.parent == handle && handle != client) release(state, client, object.handle);
        if (object.handle == handle || handle == client) object.used = 0;
    }
    return NV_OK;
}

uint32_t refusal_of(uint32_t command) {
    const char* at = std::getenv("FAKE_RM_REFUSE");
    while (at != nullptr && *at != '\0') {
        char* end = nullptr;
        const auto refused = static_cast<uint32_t>(strtoul(at, &end, 16));
        if (*end != ':') return 0;
        const auto status = static_cast<uint32_t>(strtoul(end + 1, &end, 16));
        if (refused == command) return status;
        at = *end == ',' ? end + 1 : nullptr;
    }
    return 0;
}

// Stops this process after its first call that disabled channels, if FAKE_RM_FREEZE says so. The lock is free then:
// also a real driver's call ends before the process stops.
void freeze_if_told() {
    static std::atomic<bool> done{false};
    const char* wanted = std::getenv("FAKE_RM_FREEZE");
    if (t_disabled && wanted != nullptr && *wanted == '1' && !done.exchange(true)) raise(SIGSTOP);
}

// An object that was found in this file or in that of another process: the driver knows the objects of all.
struct Found {
    State* state = nullptr;
    Object* object = nullptr;
};
Found find_anywhere(State& state, uint32_t client, uint32_t handle) {
    if (find(state, client, client) != nullptr) return {&state, find(state, client, handle)};
    {
        const std::lock_guard lock(g_mutex);
        for (unsigned i = 0; i < g_mapping_count; ++i)
            if (Object* other = find(*g_mappings[i].state, client, handle)) return {g_mappings[i].state, other};
    }
    Found found;
    for_each_file([&](int fd) {
        State* other = holds(fd, client) ? state_of(fd) : nullptr;
        Object* object = other != nullptr ? find(*other, client, handle) : nullptr;
        if (object != nullptr) found = {other, object};
        return object == nullptr;
    });
    return found;
}

void switch_channel(Object& channel, bool disable, bool real) {
    const uint32_t times = channel.disabled.load();
    if (real) channel.disabled = disable ? times + 1 : times - (times != 0 ? 1 : 0);
    channel.shown_disabled = disable ? 1 : 0;
}

uint32_t switch_channels(State& state, const NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS& list) {
    if (list.numChannels > NV2080_CTRL_FIFO_DISABLE_CHANNELS_MAX_ENTRIES) return 0x1f;
    for (uint32_t i = 0; i < list.numChannels; ++i) {
        const Object* channel = find_anywhere(state, list.hClientList[i], list.hChannelList[i]).object;
        if (channel == nullptr || !is_channel_class(channel->object_class)) return NV_ERR_INVALID_CHANNEL;
    }
    const bool real = std::getenv("FAKE_RM_NO_EFFECT") == nullptr;
    bool together = false;
    for (uint32_t i = 0; i < list.numChannels; ++i) {
        const Found found = find_anywhere(state, list.hClientList[i], list.hChannelList[i]);
        if (found.state == &state) {
            switch_channel(*found.object, list.bDisable != 0, real);
            continue;
        }
        const Turn turn(*found.state);
        switch_channel(*found.object, list.bDisable != 0, real);
        together = true;
    }
    if (list.bDisable != 0 && together) state.together.fetch_add(1);
    if (list.bDisable != 0 && list.bOnlyDisableScheduling != 0) state.kept_off.fetch_add(1);
    (list.bDisable != 0 ? state.disables : state.enables).fetch_add(1);
    t_disabled = list.bDisable != 0;
    return NV_OK;
}

uint32_t carry_out(State& state, const NVOS54_PARAMETERS& request) {
    if (const uint32_t status = refusal_of(request.cmd); status != 0) {
        state.refused.fetch_add(1);
        return status;
    }
    // The client must be one of the descriptor's own file, for any caller, as in the real driver (rmclientValidate,
    // open kernel modules).
    if (find(state, request.hClient, request.hClient) == nullptr) return NV_ERR_INVALID_CLIENT;
    Object* object = find(state, request.hClient, request.hObject);
    if (object == nullptr) return NV_ERR_OBJECT_NOT_FOUND;
    void* parameters = reinterpret_cast<void*>(request.params);
    switch (request.cmd) {
        case NV2080_CTRL_CMD_FIFO_DISABLE_CHANNELS:
            return switch_channels(state, *static_cast<NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS*>(parameters));
        case NVA06C_CTRL_CMD_SET_TIMESLICE:
            state.timeslices.fetch_add(1);
            object->timeslice_us =
                static_cast<uint32_t>(static_cast<NVA06C_CTRL_TIMESLICE_PARAMS*>(parameters)->timesliceUs);
            return NV_OK;
        case NVA06C_CTRL_CMD_GET_TIMESLICE:
            static_cast<NVA06C_CTRL_TIMESLICE_PARAMS*>(parameters)->timesliceUs = object->timeslice_us;
            return NV_OK;
        case NV2080_CTRL_CMD_GPU_GET_ID:
            static_cast<NV2080_CTRL_GPU_GET_ID_PARAMS*>(parameters)->gpuId = 0x100 + gpu_of(state, *object);
            return NV_OK;
        case NV0000_CTRL_CMD_GPU_GET_PCI_INFO: {
            auto& info = *static_cast<NV0000_CTRL_GPU_GET_PCI_INFO_PARAMS*>(parameters);
            info.domain = 0;
            info.bus = static_cast<uint16_t>(0x40 + info.gpuId - 0x100);  // as the fake CUDA driver's devices
            info.slot = 0;
            return NV_OK;
        }
        default: return NV_ERR_NOT_SUPPORTED;
    }
}

uint32_t control(State& state, const NVOS54_PARAMETERS& request) {
    state.last_pid = getpid();
    const char* us = std::getenv("FAKE_RM_DELAY_US");
    const auto half_us = static_cast<useconds_t>(us != nullptr ? strtoul(us, nullptr, 10) / 2 : 0);
    if (half_us != 0) usleep(half_us);
    const uint32_t status = carry_out(state, request);
    if (half_us != 0) usleep(half_us);
    return status;
}

int answer_in_turn(State& state, unsigned number, size_t bytes, void* argument) {
    const Turn turn(state);
    if (number == NV_ESC_RM_ALLOC && bytes == sizeof(NVOS21_PARAMETERS)) {
        auto& request = *static_cast<NVOS21_PARAMETERS*>(argument);
        request.status = allocate(state, request);
    } else if (number == NV_ESC_RM_ALLOC && bytes == sizeof(NVOS64_PARAMETERS)) {
        auto& request = *static_cast<NVOS64_PARAMETERS*>(argument);
        NVOS21_PARAMETERS head{};
        std::memcpy(&head, &request, offsetof(NVOS21_PARAMETERS, paramsSize));
        request.status = allocate(state, head);
        request.hObjectNew = head.hObjectNew;
    } else if (number == NV_ESC_RM_FREE && bytes == sizeof(NVOS00_PARAMETERS)) {
        auto& request = *static_cast<NVOS00_PARAMETERS*>(argument);
        request.status = release(state, request.hRoot, request.hObjectOld);
    } else if (number == NV_ESC_RM_CONTROL && bytes == sizeof(NVOS54_PARAMETERS)) {
        auto& request = *static_cast<NVOS54_PARAMETERS*>(argument);
        request.status = control(state, request);
    } else {
        errno = EINVAL;
        return -1;
    }
    return 0;
}

int answer(State& state, unsigned number, size_t bytes, void* argument) {
    t_disabled = false;
    const int result = answer_in_turn(state, number, bytes, argument);
    freeze_if_told();
    return result;
}

int shown_fstat(int fd, struct stat* info) {
    const int result = real_fstat(fd, info);
    if (result != 0 || state_of(fd) == nullptr) return result;
    info->st_mode = S_IFCHR | 0666;
    info->st_rdev = makedev(NV_MAJOR_DEVICE_NUMBER, NV_MINOR_DEVICE_NUMBER_CONTROL_DEVICE);
    return 0;
}

}  // namespace
}  // namespace fake::rm

using namespace fake::rm;

int fake::called_ioctl(int fd, unsigned long request, void* argument) {
    if (_IOC_TYPE(request) != xsched::cuda::rm::NV_IOCTL_MAGIC) return next_ioctl(fd, request, argument);
    State* state = state_of(fd);
    if (state == nullptr) return next_ioctl(fd, request, argument);
    if (_IOC_NR(request) != xsched::cuda::rm::NV_ESC_IOCTL_XFER_CMD)
        return answer(*state, _IOC_NR(request), _IOC_SIZE(request), argument);
    const auto& wrapped = *static_cast<const xsched::cuda::rm::nv_ioctl_xfer_t*>(argument);
    return answer(*state, wrapped.cmd, wrapped.size, reinterpret_cast<void*>(wrapped.ptr));
}

extern "C" {

int fstat(int fd, struct stat* info) noexcept { return shown_fstat(fd, info); }
int fstat64(int fd, struct stat64* info) noexcept { return shown_fstat(fd, reinterpret_cast<struct stat*>(info)); }
// The name by which guest libraries call fstat, as programs built before glibc 2.33 do (src/floor/files.cpp).
int __fxstat(int, int fd, struct stat* info) noexcept { return shown_fstat(fd, info); }

int fake_rm_open(void) {
    static std::atomic<unsigned> files{0};
    const char* directory = std::getenv("FAKE_RM_DIR");
    if (directory == nullptr || *directory == '\0') return -1;
    char path[512];
    std::snprintf(path, sizeof path, "%s/%d-%u", directory, getpid(), files.fetch_add(1));
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_TRUNC, 0600);
    // The file with a process's driver state may be read and written by all users: the fake driver runs in each
    // process and needs the state of others.
    if (fd < 0 || fchmod(fd, 0666) != 0 || ftruncate(fd, sizeof(State)) != 0) return -1;
    void* memory = mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) return -1;
    auto* state = static_cast<State*>(memory);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&state->mutex, &attributes);
    state->next_handle = static_cast<uint32_t>(getpid() & 0xfff) << 12;
    state->magic = kMagic;
    munmap(memory, sizeof(State));
    return fd;
}

const std::atomic<uint32_t>* fake_rm_disabled(int fd, uint32_t client, uint32_t channel) {
    State* state = state_of(fd);
    if (state == nullptr) return nullptr;
    const Turn turn(*state);
    const Object* object = find(*state, client, channel);
    return object != nullptr ? &object->disabled : nullptr;
}
}
