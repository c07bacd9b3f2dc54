// Finds facts about NVIDIA's driver for xcli doctor, and what follows for the preempt levels (docs/levels.md).
#include "cli/doctor/findings.h"

namespace xsched::cli {
namespace {

bool has_mps(const Machine& machine) {
    const std::string chosen = environment(machine, "CUDA_MPS_PIPE_DIRECTORY");
    return machine.exists((chosen.empty() ? "/tmp/nvidia-mps" : chosen) + "/control");
}

void add_nvidia_driver(Platform& cuda, const Machine& machine, bool wsl) {
    const char* in_container = "in a container: give it the GPU (--gpus all)";
    if (wsl) {
        cuda.findings.push_back(
            device_node(machine, "/dev/dxg", "WSL without a GPU", "WSL's GPU is closed to this user"));
        return;
    }
    const std::optional<std::string> version = machine.first_line("/proc/driver/nvidia/version");
    cuda.findings.push_back({"kernel driver", version ? Answer::kYes : Answer::kNo,
                             version.value_or("not loaded: install NVIDIA's driver, or there is no GPU of NVIDIA's")});
    const std::string missing = std::string("load the driver (nvidia-modprobe), or ") + in_container;
    cuda.findings.push_back(device_node(machine, "/dev/nvidiactl", missing, in_container));
    cuda.findings.push_back(device_node(machine, "/dev/nvidia-uvm", missing, in_container));
    Strings gpus = machine.names("/dev", "nvidia", "");
    std::erase_if(gpus, [](const std::string& name) {
        return name.size() == 6 || name.find_first_not_of("0123456789", 6) != std::string::npos;
    });
    cuda.findings.push_back({"GPUs", gpus.empty() ? Answer::kNo : Answer::kYes,
                             gpus.empty() ? "no /dev/nvidia0: " + missing : joined(gpus)});
}

}  // namespace

Platform look_at_cuda(const Machine& machine, const Installation& installation) {
    Platform cuda{"cuda", {}, {}};
    const bool wsl = machine.exists("/dev/dxg");
    cuda.findings.push_back(shim_of(installation, "cuda"));
    const Strings folders{"/usr/local/nvidia/lib64", "/usr/local/cuda/compat", "/usr/lib/wsl/lib"};
    cuda.findings.push_back(library(machine, "libcuda.so.1", "XSCHED_CUDA_LIB", folders,
                                    "NVIDIA's driver, or in a container give it the GPU (--gpus all)"));
    add_new_functions(cuda, machine, "libcuda.so.1", "XSCHED_CUDA_LIB", folders, "cu");
    add_nvidia_driver(cuda, machine, wsl);
    if (add_obstacle(cuda)) return cuda;
    const bool mps = has_mps(machine);
    cuda.findings.push_back({"without MPS", mps ? Answer::kNo : Answer::kYes,
                             mps ? "its daemon runs: programs share one context" : "no daemon runs"});
    cuda.levels = {
        {"level 1", Answer::kYes, "on every device"},
        {"level 2", Answer::kYes, "gates, if the driver takes stream wait-values; else one log line says so"},
        {"level 3", Answer::kYes,
         "the process's channels are disabled (XSCHED_INTERRUPT=0: not used); if the driver refuses, "
         "one log line says so"}};
    if (wsl) cuda.levels[2] = {"level 3", Answer::kNo, "WSL has no kernel driver that would disable channels"};
    if (mps) cuda.levels[2] = {"level 3", Answer::kNo, "MPS runs: its one context would be stopped for all programs"};
    return cuda;
}

std::vector<Finding> settings_of_cuda(const Machine& machine) {
    return variables_that_matter(machine, {"CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_LAUNCH_BLOCKING",
                                           "CUDA_VISIBLE_DEVICES", "CUDA_MODULE_LOADING"});
}

}  // namespace xsched::cli
