// Finds facts about OpenCL's drivers for xcli doctor, and what follows for the preempt levels (docs/levels.md).
#include "cli/doctor/findings.h"

namespace xsched::cli {
namespace {

// Returns the path of a driver that the loader would open. `name`: the name of its file, or a path. Empty: the driver
// is not installed.
std::string icd_library(const Machine& machine, const std::string& name) {
    if (name.find('/') != std::string::npos) return machine.exists(name) ? name : "";
    const Strings found = machine.libraries(name);
    return found.empty() ? "" : found.front();
}

Finding icds(const Machine& machine) {
    const std::string chosen = environment(machine, "OCL_ICD_VENDORS");
    const std::string folder = chosen.empty() ? "/etc/OpenCL/vendors" : chosen;
    if (!chosen.empty() && (!chosen.ends_with(".icd") && chosen.front() != '/'))
        return {"drivers (ICDs)", Answer::kYes, chosen + " (OCL_ICD_VENDORS)"};
    if (chosen.find(".so") != std::string::npos && machine.exists(chosen))  // a driver itself, not a folder of names
        return {"drivers (ICDs)", Answer::kYes, chosen + " (OCL_ICD_VENDORS)"};
    Strings good;
    Strings bad;
    const bool one = chosen.ends_with(".icd");
    for (const std::string& file : one ? Strings{chosen} : machine.names(folder, "", ".icd")) {
        const std::string name = machine.first_line(one ? file : folder + "/" + file).value_or("");
        const std::string found = name.empty() ? "" : icd_library(machine, name);
        if (found.empty())
            bad.push_back(file + " names " + (name.empty() ? "nothing" : name + ", which is not there"));
        else
            good.push_back(file + " (" + found + ")");
    }
    const std::string text = joined(good) + (!good.empty() && !bad.empty() ? "; " : "") + joined(bad);
    if (!good.empty()) return {"drivers (ICDs)", Answer::kYes, text};
    return {"drivers (ICDs)", Answer::kNo,
            text.empty() ? "none in " + folder + ": install your device's OpenCL driver, or pocl-opencl-icd" : text};
}

Finding level_2() {
#ifdef XSCHED_OPENCL_GUARDS
    return {"level 2", Answer::kUnknown,
            "on CPU devices, for kernels from source, when asked for (xcli run --level 2); not on others: OpenCL has "
            "nothing that a device could wait for in time"};
#else
    return {"level 2", Answer::kNo,
            "this build has no guards (XSCHED_OPENCL_GUARDS=OFF), and OpenCL has nothing that a device could wait for "
            "in time"};
#endif
}

}  // namespace

Platform look_at_opencl(const Machine& machine, const Installation& installation) {
    Platform opencl =
        behind_loader("opencl", machine, installation,
                      {"libOpenCL.so.1", "XSCHED_OPENCL_LIB", "the loader (Debian: ocl-icd-libopencl1)", "cl"});
    opencl.findings.push_back(icds(machine));
    if (add_obstacle(opencl)) return opencl;
    opencl.levels = {{"level 1", Answer::kYes, "on every device"},
                     level_2(),
                     {"level 3", Answer::kNo, "OpenCL has no way to take a running kernel off its device"}};
    return opencl;
}

std::vector<Finding> settings_of_opencl(const Machine& machine) {
    return variables_that_matter(machine, {"OCL_ICD_VENDORS", "OPENCL_LAYERS", "POCL_DEVICES"});
}

}  // namespace xsched::cli
