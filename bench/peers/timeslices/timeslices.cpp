// Gives every compute channel group of the process that loads it a timeslice of BENCH_TIMESLICE_US microseconds: the
// peer static_timeslices. It sees the NVIDIA driver's ioctls go by and adds controls of its own on the same file.
//
// Structures and numbers: NVIDIA's open kernel modules, src/common/sdk/nvidia/inc (nvos.h, class/cla06c.h,
// ctrl/ctrla06c.h). With BENCH_TIMESLICE_SAY=1 it says at the end how many were set and how many refused.
#include <dlfcn.h>
#include <sys/ioctl.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace {

constexpr unsigned kType = 'F';          // of all ioctls of the driver
constexpr unsigned kControl = 0x2a, kAlloc = 0x2b, kTransfer = 211;
constexpr uint32_t kGroupClass = 0xa06c;  // KEPLER_CHANNEL_GROUP_A, on every chip since
constexpr uint32_t kGraphicsEngine = 1;   // compute runs on it
constexpr uint32_t kSetTimeslice = 0xa06c0103;
constexpr unsigned long kControlRequest = 0xc020462a;

struct Transfer {
    uint32_t number, size;
    uint64_t parameters;
};
struct Alloc {  // the beginning, the same in both forms of the call
    uint32_t client, parent, object, object_class;
    uint64_t parameters;
};
struct Control {
    uint32_t client, object, command, flags;
    uint64_t parameters;
    uint32_t parameters_size, status;
};
struct Group {
    int file;
    uint32_t client, object;
};

std::mutex mutex;
std::vector<Group> groups;
int set = 0, refused = 0;

using Ioctl = int (*)(int, unsigned long, ...);
Ioctl next() {
    static const auto found = reinterpret_cast<Ioctl>(dlsym(RTLD_NEXT, "ioctl"));
    return found;
}

void set_timeslice(const Group& group) {
    const char* text = getenv("BENCH_TIMESLICE_US");
    if (text == nullptr) return;
    uint64_t microseconds = strtoull(text, nullptr, 10);
    Control control{group.client,
                    group.object,
                    kSetTimeslice,
                    0,
                    reinterpret_cast<uint64_t>(&microseconds),
                    sizeof(microseconds),
                    0};
    const bool done = next()(group.file, kControlRequest, &control) == 0 && control.status == 0;
    const std::lock_guard lock(mutex);
    ++(done ? set : refused);
}

// The driver may set a group's timeslice, or only know it with its first channel: ours is set again after both.
void after(int file, unsigned number, const void* parameters) {
    Group found{file, 0, 0};
    if (number == kAlloc) {
        const auto& alloc = *static_cast<const Alloc*>(parameters);
        const std::lock_guard lock(mutex);
        if (alloc.object_class == kGroupClass) {
            const auto* words = reinterpret_cast<const uint32_t*>(alloc.parameters);
            if (words == nullptr || words[3] != kGraphicsEngine) return;
            found = {file, alloc.client, alloc.object};
            groups.push_back(found);
        } else {
            for (const Group& group : groups)
                if (group.client == alloc.client && group.object == alloc.parent) found = group;
        }
    } else if (number == kControl) {
        const auto& control = *static_cast<const Control*>(parameters);
        if (control.command != kSetTimeslice) return;
        const std::lock_guard lock(mutex);
        for (const Group& group : groups)
            if (group.client == control.client && group.object == control.object) found = group;
    }
    if (found.object != 0) set_timeslice(found);
}

[[gnu::destructor]] void say() {
    if (getenv("BENCH_TIMESLICE_SAY") != nullptr) fprintf(stderr, "timeslices set: %d, refused: %d\n", set, refused);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int ioctl(int file, unsigned long request, ...) noexcept {
    va_list arguments;
    va_start(arguments, request);
    void* parameters = va_arg(arguments, void*);
    va_end(arguments);
    const int result = next()(file, request, parameters);
    if (result != 0 || _IOC_TYPE(request) != kType || parameters == nullptr) return result;
    if (_IOC_NR(request) == kTransfer) {
        const auto& transfer = *static_cast<const Transfer*>(parameters);
        after(file, transfer.number, reinterpret_cast<const void*>(transfer.parameters));
    } else {
        after(file, _IOC_NR(request), parameters);
    }
    return result;
}
