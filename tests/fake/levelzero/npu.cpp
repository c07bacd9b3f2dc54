// The NPU's extension for command queues, and its kernel driver as far as the creation of queues goes. As Intel's
// driver does, a command queue of the NPU asks the kernel for a queue in the band of its priority.
#include "fake/levelzero/npu.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "fake/ioctl.h"
#include "fake/levelzero/engine.h"
#include "fake/levelzero/settings.h"
#include "fake/levelzero/words.h"

namespace {

constexpr const char* kExtension = "ZE_extension_command_queue_npu";
constexpr const char* kDriverExtension = "ZE_extension_driver_npu";
constexpr unsigned long kVersion = 0xc0406400;      // DRM_IOCTL_VERSION
constexpr unsigned long kCreateQueue = 0xc00c644b;  // DRM_IOCTL_IVPU_CMDQ_CREATE
constexpr uint32_t kNormal = 2, kRealtime = 4;
constexpr int kFiles = 64;

struct Version {
    int numbers[3];
    size_t name_length;
    char* name;
    size_t date_length;
    char* date;
    size_t description_length;
    char* description;
};
struct NewQueue {
    uint32_t id, band, flags;
};

std::array<std::string, kFiles> g_drivers;  // by the number of the open file
std::atomic<int> g_last_type{-1};
std::atomic<int> g_last_band{-1};
std::atomic<uint32_t> g_queues{0};
std::atomic<void*> g_last_argument{nullptr};

int refused(int error) {
    errno = error;
    return -1;
}

int tell_version(Version& version, const std::string& driver) {
    if (version.name != nullptr) std::memcpy(version.name, driver.data(), std::min(version.name_length, driver.size()));
    version.name_length = driver.size();
    return 0;
}

int create(NewQueue& queue) {
    if (queue.band > kRealtime) return refused(EINVAL);
    if (fake::g_settings.no_band && queue.band != kNormal && queue.band != kRealtime) return refused(ENOTSUP);
    g_last_band.store(static_cast<int>(queue.band));
    queue.id = g_queues.fetch_add(1) + 1;
    return 0;
}

ze_result_t set_workload_type(ze_command_queue_handle_t queue, uint32_t type) {
    if (!FAKE_GOOD(queue, kQueue)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (type > 1) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    g_last_type.store(static_cast<int>(type));
    return ZE_RESULT_SUCCESS;
}

struct Request {
    uint32_t stype;
    const void* next;
    const char* name;
    uint32_t version;
    void** table;
};

ze_result_t get_extension(ze_driver_handle_t driver, Request* request) {
    return zeDriverGetExtensionFunctionAddress(driver, request->name, request->table);
}

void* const g_signal = &g_last_type;  // stands for functions of version 1.2
void* g_table[] = {reinterpret_cast<void*>(&set_workload_type), g_signal, g_signal};
void* g_driver_table[] = {reinterpret_cast<void*>(&get_extension)};

}  // namespace

namespace fake {

int called_ioctl(int fd, unsigned long request, void* argument) {
    const bool ours = fd >= 0 && fd < kFiles && !g_drivers[static_cast<size_t>(fd)].empty();
    if (!ours) return next_ioctl(fd, request, argument);
    if (request == kVersion) return tell_version(*static_cast<Version*>(argument), g_drivers[static_cast<size_t>(fd)]);
    if (request == kCreateQueue) return create(*static_cast<NewQueue*>(argument));
    g_last_argument.store(argument);
    return 0;
}

bool create_on_npu(ze_command_queue_priority_t priority) {
    static const int npu = fake_ze_drm_file("intel_vpu");
    constexpr uint32_t kIdle = 1;
    NewQueue queue{0, kNormal, 0};
    if (priority == ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW) queue.band = kIdle;
    if (priority == ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH) queue.band = kRealtime;
    // The program's ioctl, not this library's: calls of Intel's driver pass a preloaded library.
    using Ioctl = int (*)(int, unsigned long, ...);
    static const auto called = reinterpret_cast<Ioctl>(dlsym(dlopen(nullptr, RTLD_NOW), "ioctl"));
    g_last_type.store(-1);
    return called(npu, kCreateQueue, &queue) == 0 && queue.id != 0;
}

}  // namespace fake

extern "C" {

int fake_ze_last_workload_type(void) { return g_last_type.load(); }
int fake_ze_last_band(void) { return g_last_band.load(); }
void* fake_ze_last_argument(void) { return g_last_argument.load(); }

int fake_ze_drm_file(const char* driver) {
    const int file = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (file >= 0 && file < kFiles) g_drivers[static_cast<size_t>(file)] = driver;
    return file;
}

ze_result_t zeDriverGetExtensionProperties(ze_driver_handle_t, uint32_t* count,
                                           ze_driver_extension_properties_t* properties) {
    const std::pair<const char*, int64_t> all[] = {{kExtension, fake::g_settings.npu_queues},
                                                   {kDriverExtension, fake::g_settings.npu_driver}};
    uint32_t found = 0;
    for (const auto& [name, version] : all) {
        if (version < 0) continue;
        if (properties != nullptr && found < *count) {
            std::strcpy(properties[found].name, name);
            properties[found].version = static_cast<uint32_t>(1 << 16 | version);
        }
        ++found;
    }
    *count = properties != nullptr ? std::min(found, *count) : found;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDriverGetExtensionFunctionAddress(ze_driver_handle_t, const char* name, void** address) {
    const bool queues = std::strcmp(name, kExtension) == 0, driver = std::strcmp(name, kDriverExtension) == 0;
    if (queues && fake::g_settings.npu_queues >= 0)
        *address = g_table;
    else if (driver && fake::g_settings.npu_driver >= 0)
        *address = g_driver_table;
    else if (std::strcmp(name, "zexCommandListAppendWaitOnMemory") == 0)
        return fake::wait_function(address);
    else
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    return ZE_RESULT_SUCCESS;
}
}
