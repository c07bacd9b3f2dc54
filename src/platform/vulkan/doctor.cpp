// Finds facts about Vulkan's drivers for xcli doctor, and what follows for the preempt levels (docs/levels.md).
#include "cli/doctor/findings.h"

namespace xsched::cli {

Platform look_at_vulkan(const Machine& machine, const Installation& installation) {
    Platform vulkan =
        behind_loader("vulkan", machine, installation, {"libvulkan.so.1", "", "the loader (Debian: libvulkan1)", ""});
    Strings drivers;
    for (const char* folder : {"/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"})
        for (const std::string& file : machine.names(folder, "", ".json")) drivers.push_back(file);
    if (drivers.empty())
        vulkan.findings.push_back(
            {"drivers (ICDs)", Answer::kNo, "none in /usr/share/vulkan/icd.d or /etc/vulkan/icd.d"});
    else
        vulkan.findings.push_back({"drivers (ICDs)", Answer::kYes, joined(drivers)});
    if (add_obstacle(vulkan)) return vulkan;
    vulkan.levels = {
        {"level 1", Answer::kYes, "on devices with timeline semaphores (Vulkan 1.2)"},
        {"level 2", Answer::kNo, "what a queue has got runs to its end"},
        {"level 3", Answer::kNo, "no kernel driver of NVIDIA's is there, which takes running work off its GPUs"}};
    if (machine.exists("/dev/nvidiactl"))
        vulkan.levels[2] = {"level 3", Answer::kYes,
                            "on NVIDIA's GPUs: the process's channels are disabled, while it has no swapchain "
                            "(XSCHED_INTERRUPT=0: not used); CUDA's shim must be installed too"};
    return vulkan;
}

std::vector<Finding> settings_of_vulkan(const Machine& machine) {
    return variables_that_matter(machine,
                                 {"VK_ICD_FILENAMES", "VK_DRIVER_FILES", "XSCHED_VULKAN", "XSCHED_VULKAN_OFF"});
}

}  // namespace xsched::cli
