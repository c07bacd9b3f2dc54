// CUDA's level 3: that of NVIDIA's GPUs, for streams. Only join_interrupts calls CUDA.
#include <cstdio>

#include "platform/nvidia/hal/interrupts.h"
#include "platform/stream/hal/hwqueue.h"
#include "platform/stream/hal/identity.h"
#include "queue/abi/same_build.h"

namespace xsched::stream {

bool join_interrupts(HwQueue& hwq) {
    char name[32];
    std::snprintf(name, sizeof name, "device %d", hwq.device);
    int shared = 0;
    if (hwq.api->cuDeviceGetAttribute(&shared, cuda::CU_DEVICE_ATTRIBUTE_MPS_ENABLED, hwq.device) != kSuccess)
        shared = 0;
    const XDevice gpu = device_identity(*hwq.api, hwq.device);
    return nvidia::join(hwq, {.gpu = gpu, .name = name, .shared = shared == 1, .whole_workgroups = false});
}

bool join_timeslices(HwQueue& hwq) { return nvidia::join_timeslice(hwq); }
void leave_interrupts(HwQueue& hwq) { nvidia::leave(hwq); }
XResult interrupt(HwQueue& hwq, XqInterrupt how) { return nvidia::interrupt(hwq, how); }
void restore(HwQueue& hwq) { nvidia::restore(hwq); }
XqStopState stop_state(HwQueue& hwq) { return nvidia::stop_state(hwq); }
XResult set_timeslice(HwQueue& hwq, uint32_t us) { return nvidia::set_timeslice(hwq, us); }

}  // namespace xsched::stream

extern "C" const xsched::nvidia::Interrupts* xcu_interrupts(void) {
    using namespace xsched::nvidia;
    static constexpr Interrupts kInterrupts{.join = join,
                                            .leave = leave,
                                            .interrupt = interrupt,
                                            .restore = restore,
                                            .stop_state = stop_state,
                                            .set_timeslice = set_timeslice,
                                            .let_everything_run = let_everything_run,
                                            .swapchains_made = swapchains_made};
    return xsched::queue::is_same_build("cuda") ? &kInterrupts : nullptr;
}
