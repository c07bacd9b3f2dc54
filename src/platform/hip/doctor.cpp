// xcli doctor's findings about AMD's driver, and what follows for the preempt levels (docs/levels.md).
#include <fcntl.h>
#include <grp.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/unique_fd.h"
#include "cli/doctor/findings.h"
#include "host/kernel_queues.h"

namespace xsched::cli {
namespace {

struct KfdVersion {  // AMDKFD_IOC_GET_VERSION, include/uapi/linux/kfd_ioctl.h
    uint32_t major;
    uint32_t minor;
};
constexpr unsigned long kGetKfdVersion = _IOR('K', 0x01, KfdVersion);
constexpr uint32_t kMinorWithDebugger = 13;  // "1.13 - Add debugger API", the same file

constexpr const char* kRocm = "ROCm's HIP runtime (Debian: libamdhip64-5)";

// Returns the folders of ROCm's libraries under /opt and ROCM_PATH, since the linker's configuration need not have
// them.
Strings rocm_folders(const Machine& machine) {
    Strings folders;
    for (const std::string& name : machine.names("/opt", "rocm", "")) folders.push_back("/opt/" + name + "/lib");
    if (const std::string chosen = environment(machine, "ROCM_PATH"); !chosen.empty())
        folders.push_back(chosen + "/lib");
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

// A "no" rules no level out.
void add_compute_queues(Platform& hip, const Machine& machine) {
    for (const hip::KernelQueues& node : hip::kernel_queues(machine.root())) {
        std::string text = node.text();
        if (node.take_turns()) text.append(": ").append(hip::kTurnsMean).append("; ").append(hip::kFewerQueues);
        hip.findings.push_back({"compute queues", node.take_turns() ? Answer::kNo : Answer::kYes, std::move(text)});
    }
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

// --- what --run notes besides

void add_files(std::vector<Finding>& rows, const Machine& machine, const std::string& what, const std::string& folder,
               const std::string& file) {
    for (const std::string& card : machine.names(folder, "card", ""))
        if (const auto value = machine.first_line(folder + "/" + card + file); value && card.find('-') == card.npos)
            rows.push_back({what, Answer::kYes, card + ": " + *value});
}

void add_firmware(std::vector<Finding>& rows, const Machine& machine) {
    const std::string nodes = "/sys/class/kfd/kfd/topology/nodes";
    for (const std::string& node : machine.names(nodes, "", "")) {
        std::string found;
        for (const std::string& line : machine.lines(nodes + "/" + node + "/properties"))
            for (const char* name :
                 {"fw_version ", "sdma_fw_version ", "num_xcc ", "num_cp_queues ", "max_waves_per_simd "})
                if (line.starts_with(name)) found += (found.empty() ? "" : ", ") + line;
        if (machine.first_line(nodes + "/" + node + "/gpu_id").value_or("0") != "0" && !found.empty())
            rows.push_back({"firmware", Answer::kYes, "node " + node + ": " + found});
    }
}

// Device files belong to these groups.
Finding groups_of_user(const Machine& machine) {
    if (!machine.is_this()) return {"groups", Answer::kUnknown, "not asked: this is another system"};
    gid_t mine[256];
    const int count = getgroups(256, mine);
    std::string found;
    bool any = false;
    for (const char* name : {"render", "video"}) {
        const group* entry = getgrnam(name);
        const bool member =
            entry != nullptr && std::find(mine, mine + std::max(count, 0), entry->gr_gid) != mine + std::max(count, 0);
        found += std::string(found.empty() ? "" : ", ") + name +
                 (entry == nullptr ? ": no such group"
                  : member         ? ": yes"
                                   : ": no");
        any = any || member;
    }
    if (any) return {"groups", Answer::kYes, found};
    if (geteuid() == 0) return {"groups", Answer::kYes, "not needed by root (" + found + ")"};
    return {"groups", Answer::kUnknown, found + ": what matters is whether /dev/kfd can be opened"};
}

// Finds whether the kernel's NUMA balancing is on: it moves pages that the GPU uses, and KFD evicts all queues of the
// process meanwhile.
Finding numa_balancing(const Machine& machine) {
    const std::string value = machine.first_line("/proc/sys/kernel/numa_balancing").value_or("0");
    if (value == "0") return {"NUMA balancing", Answer::kYes, "off"};
    return {"NUMA balancing", Answer::kNo,
            "pages that the GPU knows are moved, and meanwhile all queues of the process are off it; "
            "'sysctl kernel.numa_balancing=0' turns it off"};
}

// Returns the environment variables of ROCm's runtime that a report shows if they are set. Sources of the names and
// their effects: the runtime's flags.hpp of ROCm 7.2 (clr), and the strings of libamdhip64 and libhsa-runtime64 6.4.3
// and 7.2.4.
Strings variables_of_runtime() {
    return {// which streams share a hardware queue, and which queues there are
            "GPU_MAX_HW_QUEUES", "DEBUG_HIP_DYNAMIC_QUEUES", "DEBUG_HIP_IGNORE_STREAM_PRIORITY",
            "DEBUG_HIP_FORCE_GRAPH_QUEUES", "DEBUG_HIP_FORCE_ASYNC_QUEUE", "DEBUG_HIP_GRAPH_SEGMENT_SCHEDULING",
            "GPU_ENABLE_COOP_GROUPS", "HSA_MAX_QUEUES",
            // variables that say in which memory queues and kernel arguments lie, and how long a queue is
            "HIP_FORCE_DEV_KERNARG", "ROC_USE_FGS_KERNARG", "ROC_SKIP_KERNEL_ARG_COPY", "DEBUG_HIP_KERNARG_COPY_OPT",
            "DEBUG_CLR_KERNARG_HDP_FLUSH_WA", "HSA_ALLOCATE_QUEUE_DEV_MEM", "ROC_AQL_QUEUE_SIZE",
            // variables that say when the GPU gets its work, and how the host waits for it
            "GPU_STREAMOPS_CP_WAIT", "AMD_DIRECT_DISPATCH", "HIP_LAUNCH_BLOCKING", "AMD_SERIALIZE_KERNEL",
            "AMD_SERIALIZE_COPY", "HSA_ENABLE_SDMA", "HSA_ENABLE_INTERRUPT", "ROC_CPU_WAIT_FOR_SIGNAL",
            // variables that choose devices, compute units and tools
            "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ROC_GLOBAL_CU_MASK", "HSA_CU_MASK", "HSA_XNACK",
            "ROCP_TOOL_LIBRARIES", "HSA_TOOLS_LIB"};
}

}  // namespace

std::vector<Finding> settings_of_hip(const Machine& machine) {
    std::vector<Finding> rows;
    add_firmware(rows, machine);
    add_files(rows, machine, "compute partition", "/sys/class/drm", "/device/current_compute_partition");
    add_files(rows, machine, "memory partition", "/sys/class/drm", "/device/current_memory_partition");
    for (const char* name : {"sched_policy", "hws_max_conc_proc", "mes", "num_kcq", "noretry"})
        if (const auto value = machine.first_line(std::string("/sys/module/amdgpu/parameters/") + name))
            rows.push_back({std::string("amdgpu.") + name, Answer::kYes, *value});
    rows.push_back(groups_of_user(machine));
    rows.push_back(numa_balancing(machine));
    const std::vector<Finding> variables = variables_that_matter(machine, variables_of_runtime());
    rows.insert(rows.end(), variables.begin(), variables.end());
    return rows;
}

Platform look_at_hip(const Machine& machine, const Installation& installation) {
    Platform hip{"hip", {}, {}};
    hip.findings.push_back(shim_of(installation, "hip"));
    hip.findings.push_back(library(machine, "libamdhip64.so", "XSCHED_HIP_LIB", rocm_folders(machine), kRocm));
    add_new_functions(hip, machine, "libamdhip64.so", "XSCHED_HIP_LIB", rocm_folders(machine), "hip");
    add_amd_driver(hip, machine);
    const bool hopeless = add_obstacle(hip);
    // These two are about level 3 alone.
    hip.findings.push_back(kfd_version(machine));
    const Finding saving = context_saving(machine);
    hip.findings.push_back(saving);
    add_compute_queues(hip, machine);
    if (hopeless) return hip;
    hip.findings.push_back(
        {"memory that moves", Answer::kUnknown,
         "unproven on hardware: XSCHED_DEBUG=hip_memory=1 turns it on for programs with --evictable"});
    hip.levels = {
        {"level 1", Answer::kYes, "on every device"},
        {"level 2", Answer::kYes, "gates, if the runtime takes stream wait-values; else one log line says so"},
        {"level 3", Answer::kYes,
         "when asked for (XSCHED_INTERRUPT=1): the process's queues are suspended; if the driver refuses every "
         "way of doing it, one log line says so"}};
    if (saving.answer == Answer::kNo) hip.levels[2] = {"level 3", Answer::kNo, "cwsr_enable: " + saving.detail};
    return hip;
}

}  // namespace xsched::cli
