// The priority bands of an NPU's queues. The firmware preempts work of a lower band for that of a higher one, in the
// middle of an inference. A queue has its band from the kernel driver's request DRM_IOCTL_IVPU_CMDQ_CREATE, which the
// NPU's own driver makes. Any thread.
#pragma once

#include <sys/ioctl.h>

#include <cstddef>
#include <cstdint>

#include "xsched/hint.h"

namespace xsched::levelzero {

// The kernel's declarations in drm/drm.h and drm/ivpu_accel.h (linux-libc-dev 7.2.13). Debian 12 has neither file.
namespace ivpu {

struct Version {
    int major, minor, patch;
    size_t name_len;
    char* name;
    size_t date_len;
    char* date;
    size_t desc_len;
    char* desc;
};
inline constexpr unsigned long kVersion = _IOWR('d', 0, Version);

struct CreateQueue {
    uint32_t cmdq_id;
    uint32_t priority;  // a band
    uint32_t flags;
};
inline constexpr unsigned long kCreateQueue = _IOWR('d', 0x40 + 0x0b, CreateQueue);

enum Band : uint32_t { kDefault, kIdle, kNormal, kFocus, kRealtime };

// The names that the kernel driver has had (umdIoctlDeviceName1 and 2 of intel/linux-npu-driver 1.32).
inline constexpr const char* kDriverNames[] = {"intel_vpu", "intel_npu"};

}  // namespace ivpu

// Returns the band for a queue, for which the NPU's driver asks for `wanted`. An urgent program gets FOCUS, beside
// which the firmware keeps a share of the device for the band NORMAL (normal_band_percentage in the kernel's
// vpu_jsm_api.h). No such share is known beside REALTIME. A program that has chosen a band is never raised above it:
// only the driver's usual band is.
constexpr uint32_t band_for(uint32_t wanted, int64_t priority, bool low) {
    if (wanted > ivpu::kRealtime) return wanted;  // the kernel refuses it
    if (low) return ivpu::kIdle;
    const bool usual = wanted == ivpu::kDefault || wanted == ivpu::kNormal;
    return priority > PRIORITY_DEFAULT && usual ? uint32_t{ivpu::kFocus} : wanted;
}

// Passes on the request of a program that creates a queue, with the band of the process. A band that the kernel refuses
// becomes the one that the program asked for. `next`: the ioctl below this library.
int create_npu_queue(int fd, unsigned long request, void* argument, int (*next)(int, unsigned long, void*));

}  // namespace xsched::levelzero
