// Finds facts about Level Zero's drivers for xcli doctor, and what follows for the preempt levels (docs/levels.md).
#include "cli/devices/accelerators.h"
#include "cli/doctor/findings.h"

namespace xsched::cli {
namespace {

// Adds a row if the machine has an NPU of Intel's.
void add_npu(Platform& levelzero, const Machine& machine) {
    for (const Accelerator& device : accelerators(machine)) {
        if (device.driver != "intel_vpu" && device.driver != "intel_npu") continue;
        levelzero.findings.push_back(
            {"NPU priorities", Answer::kUnknown,
             "queues get the priority band IDLE in programs in the background or of negative priority, and FOCUS in "
             "those of positive priority; only a stand-in for the kernel's driver " +
                 device.driver + " has tried that"});
        return;
    }
}

}  // namespace

Platform look_at_levelzero(const Machine& machine, const Installation& installation) {
    Platform levelzero =
        behind_loader("levelzero", machine, installation,
                      {"libze_loader.so.1", "XSCHED_LEVELZERO_LIB", "the loader (Debian: libze1)", "ze"});
    Strings drivers;
    for (const char* name : {"libze_intel_gpu.so.1", "libze_intel_npu.so.1", "libze_intel_vpu.so.1"})
        for (const std::string& path : machine.libraries(name)) drivers.push_back(path);
    if (drivers.empty())
        levelzero.findings.push_back({"drivers", Answer::kUnknown,
                                      "neither libze_intel_gpu.so.1 (GPU) nor libze_intel_npu.so.1 (NPU) is "
                                      "there"});
    else
        levelzero.findings.push_back({"drivers", Answer::kYes, joined(drivers)});
    add_npu(levelzero, machine);
    if (add_obstacle(levelzero)) return levelzero;
    levelzero.levels = {
        {"level 1", Answer::kUnknown, "tested on a stand-in for the driver, not on Intel's devices yet"},
        {"level 2", Answer::kUnknown,
         "unproven on hardware, and off: XSCHED_DEBUG=levelzero_unproven_gates=1 asks for it on a GPU whose driver can "
         "wait for a word in memory"},
        {"level 3", Answer::kNo, "the driver has no way to take running work off its device"}};
    return levelzero;
}

std::vector<Finding> settings_of_levelzero(const Machine& machine) {
    return variables_that_matter(machine, {"ZE_AFFINITY_MASK", "ZE_FLAT_DEVICE_HIERARCHY", "ZE_ENABLE_ALT_DRIVERS",
                                           "ZE_ENABLE_TRACING_LAYER", "ONEAPI_DEVICE_SELECTOR"});
}

}  // namespace xsched::cli
