// Finds facts about Ascend NPUs for xcli doctor, and what follows for the preempt levels (docs/levels.md).
#include "cli/devices/accelerators.h"
#include "cli/doctor/findings.h"

namespace xsched::cli {
namespace {

constexpr const char* kManager = "/dev/davinci_manager";

Strings cann_folders(const Machine& machine) {
    Strings folders = {"/usr/local/Ascend/ascend-toolkit/latest/lib64", "/usr/local/Ascend/cann/lib64"};
    if (const std::string home = environment(machine, "ASCEND_TOOLKIT_HOME"); !home.empty())
        folders.push_back(home + "/lib64");
    return folders;
}

// Names the device files of the NPUs, and of a container's NPUs only those that it was given.
Finding devices(const Machine& machine) {
    const Strings nodes = machine.names("/dev", "davinci", "");
    Strings npus;
    for (const std::string& node : nodes)
        if (node != "davinci_manager") npus.push_back("/dev/" + node);
    if (npus.empty())
        return {"NPUs", Answer::kNo,
                "no /dev/davinci0 or another one: load Huawei's driver; a container needs --device for it, for "
                "/dev/davinci_manager, /dev/devmm_svm and /dev/hisi_hdc"};
    return {"NPUs", Answer::kYes, joined(npus)};
}

}  // namespace

Platform look_at_ascend(const Machine& machine, const Installation& installation) {
    const Strings folders = cann_folders(machine);
    Platform ascend{"ascend", {shim_of(installation, "ascend")}, {}};
    ascend.findings.push_back(
        library(machine, "libascendcl.so", "XSCHED_ASCEND_LIB", folders, "CANN (Huawei's toolkit for Ascend NPUs)"));
    ascend.findings.push_back(device_node(machine, kManager,
                                          "Huawei's kernel driver is not loaded, or the container was "
                                          "not given the device",
                                          "join the group HwHiAiUser, or run as root"));
    ascend.findings.push_back(devices(machine));
    ascend.findings.push_back({"hardware", Answer::kUnknown,
                               "only a stand-in for CANN has tried this version; no Ascend NPU has, neither 310, 310P, "
                               "910, 910B nor another one"});
    if (add_obstacle(ascend)) return ascend;
    ascend.levels = {
        {"level 1", Answer::kUnknown, "tested on a stand-in for CANN, not on an NPU yet"},
        {"level 2", Answer::kNo,
         "off: XSCHED_ASCEND_PAUSE=1 pauses a program's send queues, whose effect on running work has not been "
         "measured; 'xcli doctor --run --platform ascend' tries it"},
        {"level 3", Answer::kNo, "the runtime has no way to take running work off the device and put it back"}};
    return ascend;
}

std::vector<Finding> settings_of_ascend(const Machine& machine) {
    return variables_that_matter(machine, {"ASCEND_RT_VISIBLE_DEVICES", "ASCEND_VISIBLE_DEVICES",
                                           "ASCEND_LAUNCH_BLOCKING", "TASK_QUEUE_ENABLE"});
}

}  // namespace xsched::cli
