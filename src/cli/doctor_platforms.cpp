// What xcli doctor finds of each platform's driver, and what follows for the preempt levels (docs/levels.md).
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/ioctl.h>

#include "base/unique_fd.h"
#include "cli/doctor.h"

namespace xsched::cli {
namespace {

using Strings = std::vector<std::string>;

std::string joined(const Strings& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

// What an environment variable of this machine says; the environment is not another machine's.
std::string environment(const Machine& machine, const char* variable) {
    const char* value = machine.is_this() ? getenv(variable) : nullptr;
    return value != nullptr ? value : "";
}

Finding shim_of(const Installation& installation, const char* name) {
    for (const std::string& shim : installation.shims)
        if (shim.ends_with(std::string("/") + name)) return {"shim", Answer::kYes, shim};
    return {"shim", Answer::kNo, std::string(name) + " is not in " + installation.library_directory +
                                     ": this build has no such platform"};
}

// "/lib/libcuda.so.1 (libcuda.so.535.161)"
std::string with_target(const Machine& machine, const std::string& path) {
    const std::string target = machine.real_path(path);
    const std::string file = target.substr(target.rfind('/') + 1);
    return path.ends_with("/" + file) ? path : path + " (" + file + ")";
}

// The library that a program would use; XSCHED_..._LIB names another.
Finding library(const Machine& machine, const std::string& name, const char* variable, const Strings& folders,
                const std::string& package) {
    if (const std::string chosen = environment(machine, variable); !chosen.empty()) {
        if (machine.exists(chosen)) return {name, Answer::kYes, chosen + " (" + variable + ")"};
        return {name, Answer::kNo, std::string(variable) + " names " + chosen + ", which is not there"};
    }
    Strings found = machine.libraries(name, folders);
    if (found.empty()) return {name, Answer::kNo, "not found: install " + package};
    for (std::string& path : found) path = with_target(machine, path);
    return {name, Answer::kYes, joined(found)};
}

Finding device_node(const Machine& machine, const std::string& path, const std::string& hint_missing,
                    const std::string& hint_refused) {
    const int error = machine.try_open(path);
    if (error == 0) return {path, Answer::kYes, "may be opened"};
    const std::string why = strerror(error);
    if (error == ENOENT) return {path, Answer::kNo, why + ": " + hint_missing};
    return {path, Answer::kNo, why + ": " + hint_refused};
}

// The first finding that is a "no", as the reason for a level's "no"; nullptr: none.
const Finding* obstacle(const Platform& platform) {
    const auto found = std::find_if(platform.findings.begin(), platform.findings.end(),
                                    [](const Finding& finding) { return finding.answer == Answer::kNo; });
    return found != platform.findings.end() ? &*found : nullptr;
}

// All levels are out of the question. False: nothing speaks against level 1.
bool add_obstacle(Platform& platform) {
    const Finding* no = obstacle(platform);
    if (no == nullptr) return false;
    const std::string why = no->what + ": " + no->detail;
    for (const char* level : {"level 1", "level 2", "level 3"}) platform.levels.push_back({level, Answer::kNo, why});
    return true;
}

// --- OpenCL

// A driver that the loader would open: the name of its file, or a path. Empty: it is not there.
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

// --- NVIDIA

bool has_mps(const Machine& machine) {
    const std::string chosen = environment(machine, "CUDA_MPS_PIPE_DIRECTORY");
    return machine.exists((chosen.empty() ? "/tmp/nvidia-mps" : chosen) + "/control");
}

void add_nvidia_driver(Platform& cuda, const Machine& machine, bool wsl) {
    const char* in_container = "in a container: give it the GPU (--gpus all)";
    if (wsl) {
        cuda.findings.push_back(device_node(machine, "/dev/dxg", "WSL without a GPU", "WSL's GPU is closed to this user"));
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

// --- AMD

struct KfdVersion {  // AMDKFD_IOC_GET_VERSION, include/uapi/linux/kfd_ioctl.h
    uint32_t major;
    uint32_t minor;
};
constexpr unsigned long kGetKfdVersion = _IOR('K', 0x01, KfdVersion);
constexpr uint32_t kMinorWithDebugger = 13;  // "1.13 - Add debugger API", the same file

constexpr const char* kRocm = "ROCm's HIP runtime (Debian: libamdhip64-5)";

// ROCm installs into folders of their own, which the linker need not know.
Strings rocm_folders(const Machine& machine) {
    Strings folders;
    for (const std::string& name : machine.names("/opt", "rocm", "")) folders.push_back("/opt/" + name + "/lib");
    if (const std::string chosen = environment(machine, "ROCM_PATH"); !chosen.empty()) folders.push_back(chosen + "/lib");
    return folders;
}

Finding kfd_version(const Machine& machine) {
    const base::UniqueFd file(machine.is_this() ? open("/dev/kfd", O_RDWR | O_CLOEXEC) : -1);
    KfdVersion version{};
    if (!file || ioctl(file.get(), kGetKfdVersion, &version) != 0)
        return {"KFD's version", Answer::kUnknown, "not asked: /dev/kfd cannot be opened here"};
    const std::string text = std::to_string(version.major) + "." + std::to_string(version.minor);
    if (version.major == 1 && version.minor < kMinorWithDebugger)
        return {"KFD's version", Answer::kYes, text + ": without suspending queues by DBG_TRAP (1.13)"};
    return {"KFD's version", Answer::kYes, text};
}

Finding context_saving(const Machine& machine) {
    const std::string path = "/sys/module/amdgpu/parameters/cwsr_enable";
    const std::optional<std::string> value = machine.first_line(path);
    if (!value) return {"cwsr_enable", Answer::kUnknown, path + " is not there: amdgpu is not loaded as a module"};
    if (*value == "0")
        return {"cwsr_enable", Answer::kNo, "0: what runs on the GPU cannot be saved; load amdgpu with cwsr_enable=1"};
    return {"cwsr_enable", Answer::kYes, *value + ": what runs on the GPU can be saved and go on later"};
}

Finding amd_gpus(const Machine& machine) {
    const std::string nodes = "/sys/class/kfd/kfd/topology/nodes";
    Strings found;
    for (const std::string& node : machine.names(nodes, "", "")) {
        const std::string id = machine.first_line(nodes + "/" + node + "/gpu_id").value_or("0");
        if (id == "0") continue;  // a processor
        std::string target;
        for (const std::string& line : machine.lines(nodes + "/" + node + "/properties"))
            if (line.starts_with("gfx_target_version ")) target = ", gfx " + line.substr(line.find(' ') + 1);
        found.push_back("node " + node + " (id " + id + target + ")");
    }
    if (found.empty()) return {"GPUs", Answer::kNo, "none in " + nodes + ": no GPU that amdgpu computes on"};
    return {"GPUs", Answer::kYes, joined(found)};
}

void add_amd_driver(Platform& hip, const Machine& machine) {
    const char* group = "add the user to the groups render and video";
    const bool loaded = machine.exists("/sys/module/amdgpu");
    const std::string version = machine.first_line("/sys/module/amdgpu/version").value_or("of the kernel");
    hip.findings.push_back({"kernel driver", loaded ? Answer::kYes : Answer::kNo,
                            loaded ? "amdgpu " + version : "amdgpu is not loaded, or there is no GPU of AMD's"});
    hip.findings.push_back(device_node(machine, "/dev/kfd", "in a container: give it --device=/dev/kfd", group));
    const Strings renders = machine.names("/dev/dri", "renderD", "");
    if (renders.empty())
        hip.findings.push_back({"/dev/dri/renderD*", Answer::kNo, "in a container: give it --device=/dev/dri"});
    for (const std::string& name : renders)
        hip.findings.push_back(device_node(machine, "/dev/dri/" + name, "it has just gone", group));
    hip.findings.push_back(amd_gpus(machine));
}

}  // namespace

Platform look_at_opencl(const Machine& machine, const Installation& installation) {
    Platform opencl{"opencl", {}, {}};
    opencl.findings.push_back(shim_of(installation, "libshimopencl.so"));
    opencl.findings.push_back(
        library(machine, "libOpenCL.so.1", "XSCHED_OPENCL_LIB", {}, "the loader (Debian: ocl-icd-libopencl1)"));
    opencl.findings.push_back(icds(machine));
    if (add_obstacle(opencl)) return opencl;
    opencl.levels = {
        {"level 1", Answer::kYes, "on every device"},
        {"level 2", Answer::kUnknown,
         "on CPU devices, for kernels from source, when asked for (xcli run --level 2); not on others: OpenCL has "
         "nothing that a device could wait for in time"},
        {"level 3", Answer::kNo, "OpenCL has no way to take a running kernel off its device"}};
    return opencl;
}

Platform look_at_cuda(const Machine& machine, const Installation& installation) {
    Platform cuda{"cuda", {}, {}};
    const bool wsl = machine.exists("/dev/dxg");
    cuda.findings.push_back(shim_of(installation, "libshimcuda.so"));
    cuda.findings.push_back(library(machine, "libcuda.so.1", "XSCHED_CUDA_LIB",
                                    {"/usr/local/nvidia/lib64", "/usr/local/cuda/compat", "/usr/lib/wsl/lib"},
                                    "NVIDIA's driver, or in a container give it the GPU (--gpus all)"));
    add_nvidia_driver(cuda, machine, wsl);
    if (add_obstacle(cuda)) return cuda;
    const bool mps = has_mps(machine);
    cuda.findings.push_back({"without MPS", mps ? Answer::kNo : Answer::kYes,
                             mps ? "its daemon runs: programs share one context" : "no daemon runs"});
    cuda.levels = {{"level 1", Answer::kYes, "on every device"},
                   {"level 2", Answer::kYes, "gates, if the driver takes stream wait-values; else one log line says so"},
                   {"level 3", Answer::kYes,
                    "the process's channels are disabled (XSCHED_INTERRUPT=0: not used); if the driver refuses, "
                    "one log line says so"}};
    if (wsl) cuda.levels[2] = {"level 3", Answer::kNo, "WSL has no kernel driver that would disable channels"};
    if (mps) cuda.levels[2] = {"level 3", Answer::kNo, "MPS runs: its one context would be stopped for all programs"};
    return cuda;
}

Platform look_at_hip(const Machine& machine, const Installation& installation) {
    Platform hip{"hip", {}, {}};
    hip.findings.push_back(shim_of(installation, "libshimhip.so"));
    hip.findings.push_back(library(machine, "libamdhip64.so", "XSCHED_HIP_LIB", rocm_folders(machine), kRocm));
    add_amd_driver(hip, machine);
    const bool hopeless = add_obstacle(hip);
    // These two are about level 3 alone.
    hip.findings.push_back(kfd_version(machine));
    const Finding saving = context_saving(machine);
    hip.findings.push_back(saving);
    if (hopeless) return hip;
    hip.levels = {{"level 1", Answer::kYes, "on every device"},
                  {"level 2", Answer::kYes, "gates, if the runtime takes stream wait-values; else one log line says so"},
                  {"level 3", Answer::kYes,
                   "when asked for (XSCHED_INTERRUPT=1): the process's queues are suspended; if the driver refuses every "
                   "way of doing it, one log line says so"}};
    if (saving.answer == Answer::kNo) hip.levels[2] = {"level 3", Answer::kNo, "cwsr_enable: " + saving.detail};
    return hip;
}

}  // namespace xsched::cli
