// The trial of the device itself: does it run kernels, and are their results right?
#include "busy_device.h"
#include "probe/trial.h"

namespace xsched::probe {
namespace {

constexpr double kSampleKernelMs = 1;
constexpr int kKernels = 20;

}  // namespace

Json try_device(const Settings&) {
    doing("opening the runtime and running the first kernel");
    busy::BusyDevice device("own");
    doing("measuring how long kernels take");
    const uint32_t steps = device.calibrate(kSampleKernelMs);
    doing("running kernels one after the other");
    for (int i = 0; i < kKernels; ++i) device.enqueue(steps);
    doing("comparing the result");
    const bool exact = device.state_is_right();
    const std::string described = device.description();
    const size_t name_end = described.find("; "), vendor_end = described.find("; ", name_end + 2);
    return {{"device", described.substr(0, name_end)},
            {"vendor", described.substr(name_end + 2, vendor_end - name_end - 2)},
            {"driver", described.substr(vendor_end + 2)},
            {"steps_per_ms", steps / kSampleKernelMs},
            {"exact", exact}};
}

}  // namespace xsched::probe
