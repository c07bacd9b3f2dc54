// The driver's pause of all send queues of the process, without anything of XSched: does it hold work that the NPU has
// already got, how soon, and is the result right afterwards?
#include <algorithm>
#include <stdexcept>

#include "platform/ascend/hal/send_queue_request.h"
#include "probe/suspension.h"
#include "runtime.h"

namespace xsched::probe {
namespace {

constexpr double kPausedKernelMs = 1;  // judgement: short beside the pause, so that work that goes on is seen
constexpr size_t kPausedDepth = 48;  // far more than complete in suspension.cpp's kSlackMs

using Configure = ascend::ConfigureSendQueues;

// Makes the call. Returns the driver's code.
int configure(Configure call, bool pause) {
    ascend::SendQueueRequest request;
    request.property = pause ? ascend::kPauseSendQueues : ascend::kResumeSendQueues;
    return call(0, &request);
}

}  // namespace

Json try_pause(const Settings& settings) {
    doing("looking for halSqCqConfig");
    const auto call = reinterpret_cast<Configure>(busy::cann_function("halSqCqConfig"));
    if (call == nullptr) return {{"there", false}};
    doing("running the first fills and copies");
    busy::BusyDevice device("");
    const uint32_t steps = steps_for(device, kPausedKernelMs, settings);
    int pause_code = 0, resume_code = 0;
    const auto pause = [&] { pause_code = std::max(pause_code, configure(call, true)); };
    const auto resume = [&] { resume_code = std::max(resume_code, configure(call, false)); };
    const int rounds = std::clamp(static_cast<int>(settings.seconds * 4), 3, 10);
    Json found = stop_in_rounds(device, {std::max(steps, 1U), kPausedKernelMs, kPausedDepth, rounds, pause, resume});
    found.update({{"there", true}, {"pause_code", pause_code}, {"resume_code", resume_code}});
    return found;
}

}  // namespace xsched::probe
