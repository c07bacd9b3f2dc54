#include "cli/doctor/device_costs.h"

#include "cli/show.h"
#include "cli/time_text.h"

namespace xsched::cli {
namespace {

const Json* done(const Evidence& evidence, const char* step) {
    const auto result = evidence.steps.find(step);
    return result != evidence.steps.end() && result->second.ending == Ending::kDone ? &result->second.found : nullptr;
}

}  // namespace

host::DeviceCosts costs_in(const Evidence& evidence) {
    host::DeviceCosts costs;
    if (const Json* found = done(evidence, "switch")) costs.us["switch_us"] = found->value("switch_us", 0.0);
    if (const Json* gate = done(evidence, "gate"); gate != nullptr && gate->contains("launch")) {
        costs.us["gate_host_us"] = (*gate)["gate"].value("host_us", 0.0);
        costs.us["gate_device_us"] = (*gate)["gate"].value("together_us", 0.0);
        costs.us["launch_us"] = (*gate)["launch"].value("host_us", 0.0);
    }
    if (const Json* device = done(evidence, "device"))
        costs.device = device->value("device", "") + ", " + device->value("driver", "");
    costs.measured = utc_now("%Y-%m-%d");
    return costs;
}

void keep_costs(const Evidence& evidence, const std::string& path, bool quiet) {
    const host::DeviceCosts costs = costs_in(evidence);
    if (costs.us.empty()) throw Failure("--keep: neither the step \"switch\" nor the step \"gate\" was done");
    if (const std::string why = host::write_device_costs(path, costs); !why.empty()) throw Failure("--keep: " + why);
    if (!quiet) print("The costs of switches and calls: " + path + "\n");
}

}  // namespace xsched::cli
