// Stands for the NVIDIA driver behind ioctl() in timeslices_test: every call succeeds, and what is set is remembered.
#include <sys/ioctl.h>

#include <cstdarg>
#include <cstdint>
#include <map>
#include <utility>

namespace {
struct Control {
    uint32_t client, object, command, flags;
    uint64_t parameters;
    uint32_t parameters_size, status;
};
std::map<std::pair<uint32_t, uint32_t>, uint64_t> timeslices;  // by client and object
}  // namespace

extern "C" __attribute__((visibility("default"))) int ioctl(int, unsigned long request, ...) noexcept {
    va_list arguments;
    va_start(arguments, request);
    auto* control = va_arg(arguments, Control*);
    va_end(arguments);
    if (request == 0xc020462a && control->command == 0xa06c0103)
        timeslices[{control->client, control->object}] = *reinterpret_cast<uint64_t*>(control->parameters);
    return 0;
}

// Microseconds; 0: never set.
extern "C" __attribute__((visibility("default"))) uint64_t fake_timeslice(uint32_t client, uint32_t object) {
    const auto found = timeslices.find({client, object});
    return found == timeslices.end() ? 0 : found->second;
}
