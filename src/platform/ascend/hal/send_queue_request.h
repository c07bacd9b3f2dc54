// The call of the driver's library (halSqCqConfig of libascend_hal.so) that pauses and resumes all send queues that
// this process has on an NPU. As in CANN's pkg_inc/driver/hal_pkg/trs_pkg.h (hicann/runtime 681ef76).
#pragma once

#include <cstdint>

namespace xsched::ascend {

struct SendQueueRequest {
    int type = 0;  // DRV_NORMAL_TYPE
    uint32_t scheduler = 0;
    uint32_t send_queue = UINT32_MAX;  // all of the process's
    uint32_t completion_queue = UINT32_MAX;
    int property = 0;
    uint32_t values[8] = {};
};
inline constexpr int kPauseSendQueues = 8;    // DRV_SQCQ_PROP_SQ_PAUSE
inline constexpr int kResumeSendQueues = 10;  // DRV_SQCQ_PROP_SQ_RESUME
using ConfigureSendQueues = int (*)(uint32_t device, SendQueueRequest* request);

}  // namespace xsched::ascend
