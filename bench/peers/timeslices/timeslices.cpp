// Gives every compute channel group of the process that loads it a timeslice of BENCH_TIMESLICE_US microseconds: the
// peer static_timeslices. It sees the NVIDIA driver's ioctls go by and adds controls of its own on the same file.
//
// BENCH_PREEMPTION=wfi, cta or cilp: where the process's kernels may be preempted, instead of what the driver's library
// asks for when it makes a context (cilp): when all of them are over, between thread blocks, or anywhere. With
// BENCH_PREEMPTION_LATER=1 it is asked for 0.2 s later instead, by a call of its own.
//
// Structures and numbers: NVIDIA's open kernel modules, src/common/sdk/nvidia/inc (nvos.h, class/cla06c.h,
// ctrl/ctrla06c.h, ctrl/ctrl2080/ctrl2080gr.h). With BENCH_TIMESLICE_SAY=1 it says at the end how many were set and
// how many refused, and what came of preemption modes. BENCH_TIMESLICE_LOG: a file that gets a line per channel group,
// channel and timeslice at once, from processes whose ends are not seen, as the MPS server's.
#include <dlfcn.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr unsigned kType = 'F';  // of all ioctls of the driver
constexpr unsigned kControl = 0x2a, kAlloc = 0x2b, kDuplicate = 0x34, kTransfer = 211;
constexpr uint32_t kGroupClass = 0xa06c;  // KEPLER_CHANNEL_GROUP_A, on every chip since
constexpr uint32_t kGraphicsEngine = 1;  // compute runs on it
constexpr uint32_t kSetTimeslice = 0xa06c0103;
constexpr uint32_t kSetPreemptionMode = 0x20801210;
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
struct PreemptionMode {
    uint32_t flags, channel, graphics, compute;
    uint32_t route_flags, pad;
    uint64_t route;
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

void log_line(const char* what, uint32_t client, uint32_t parent, uint32_t object, uint64_t value) {
    const char* path = getenv("BENCH_TIMESLICE_LOG");
    FILE* file = path != nullptr ? fopen(path, "ae") : nullptr;
    if (file == nullptr) return;
    fprintf(file, "%d %s %s: client 0x%x, parent 0x%x, object 0x%x, 0x%llx\n", getpid(), program_invocation_short_name,
            what, client, parent, object, static_cast<unsigned long long>(value));
    fclose(file);
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
    log_line(done ? "timeslice set" : "timeslice refused", group.client, 0, group.object, control.status);
    const std::lock_guard lock(mutex);
    ++(done ? set : refused);
}

// -1: as the driver's library asks.
int wanted_mode() {
    const char* text = getenv("BENCH_PREEMPTION");
    if (text == nullptr) return -1;
    return strcmp(text, "wfi") == 0 ? 0 : strcmp(text, "cta") == 0 ? 1 : 2;
}

bool says() { return getenv("BENCH_TIMESLICE_SAY") != nullptr; }

const Control* preemption_control(unsigned number, const void* parameters) {
    const auto* control = static_cast<const Control*>(parameters);
    const bool is = number == kControl && control->command == kSetPreemptionMode && control->parameters != 0 &&
                    control->parameters_size == sizeof(PreemptionMode);
    return is ? control : nullptr;
}

void set_mode_later(int file, Control control, PreemptionMode mode, int wanted) {
    std::thread([=]() mutable {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        mode.compute = static_cast<uint32_t>(wanted);
        control.parameters = reinterpret_cast<uint64_t>(&mode);
        const auto begin = std::chrono::steady_clock::now();
        const int result = next()(file, kControlRequest, &control);
        const auto took =
            std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
        if (says())
            fprintf(stderr, "preemption mode %d later: result %d, status 0x%x, %ld us\n", wanted, result,
                    control.status, static_cast<long>(took.count()));
    }).detach();
}

// Passes the CUDA library's own request for a preemption mode to the kernel, but with the wanted mode in it. The
// caller sees its request unchanged.
int pass_preemption(int file, unsigned long request, void* argument, const Control& control) {
    auto* mode = reinterpret_cast<PreemptionMode*>(control.parameters);
    const PreemptionMode asked = *mode;
    const int wanted = wanted_mode();
    const bool later = getenv("BENCH_PREEMPTION_LATER") != nullptr;
    if (wanted >= 0 && !later) mode->compute = static_cast<uint32_t>(wanted);
    const uint32_t given = mode->compute;
    const int result = next()(file, request, argument);
    mode->compute = asked.compute;
    if (says())
        fprintf(stderr, "preemption mode of 0x%x: asked %u, flags 0x%x, given %u: result %d, status 0x%x\n",
                asked.channel, asked.compute, asked.flags, given, result, control.status);
    if (wanted >= 0 && later && result == 0) set_mode_later(file, control, asked, wanted);
    return result;
}

// The driver may set a group's timeslice, or only know it with its first channel: ours is set again after both.
void after(int file, unsigned number, const void* parameters) {
    Group found{file, 0, 0};
    if (number == kAlloc) {
        const auto& alloc = *static_cast<const Alloc*>(parameters);
        const bool is_channel = (alloc.object_class & 0xff) == 0x6f || alloc.object_class == kGroupClass;
        if (is_channel) log_line("allocated", alloc.client, alloc.parent, alloc.object, alloc.object_class);
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
    } else if (number == kDuplicate) {
        const auto* words = static_cast<const uint32_t*>(parameters);
        log_line("duplicated", words[0], words[1], words[2], uint64_t{words[3]} << 32 | words[4]);
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
    if (says()) fprintf(stderr, "timeslices set: %d, refused: %d\n", set, refused);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int ioctl(int file, unsigned long request, ...) noexcept {
    va_list arguments;
    va_start(arguments, request);
    void* parameters = va_arg(arguments, void*);
    va_end(arguments);
    if (_IOC_TYPE(request) != kType || parameters == nullptr) return next()(file, request, parameters);
    unsigned number = _IOC_NR(request);
    void* inner = parameters;
    if (number == kTransfer) {
        const auto& transfer = *static_cast<const Transfer*>(parameters);
        number = transfer.number;
        inner = reinterpret_cast<void*>(transfer.parameters);
    }
    if (const Control* control = preemption_control(number, inner))
        return pass_preemption(file, request, parameters, *control);
    const int result = next()(file, request, parameters);
    if (result == 0) after(file, number, inner);
    return result;
}
