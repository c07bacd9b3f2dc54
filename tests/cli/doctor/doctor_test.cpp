// xcli doctor: this machine, and made-up ones in a folder.
#include "cli/doctor/doctor.h"

#include <filesystem>

#include "cli/cli_rig.h"
#include "cli/platforms.h"

namespace xsched::test {
namespace {

namespace fs = std::filesystem;

class Doctor : public WithCli {
protected:
    std::string root() const { return directory.path() + "/machine"; }
    void file(const std::string& path, const std::string& text = "") { make_file(root() + path, text); }
    void link(const std::string& path, const std::string& target) {
        file(path);
        fs::remove(root() + path);
        fs::create_symlink(target, root() + path);
    }
    // Reads the doctor's findings about the made-up machine.
    void look() {
        fs::create_directories(root());
        const Outcome outcome = xcli({"doctor", "--json", "--root", root()});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        answer = outcome.json();
        ASSERT_EQ(answer.value("ok", false), true) << outcome.out;
    }
    Json row(const std::string& part, const std::string& what) const {
        for (const Json& one : answer["parts"])
            for (const char* list : {"findings", "levels"})
                for (const Json& finding : one[list])
                    if (one["name"] == part && finding["what"] == what) return finding;
        ADD_FAILURE() << part << " has nothing on " << what;
        return {{"answer", ""}, {"detail", ""}};
    }
    void expect(const std::string& part, const std::string& what, const std::string& verdict,
                const std::string& detail) const {
        const Json found = row(part, what);
        EXPECT_EQ(found["answer"], verdict) << part << ", " << what << ": " << found["detail"];
        EXPECT_TRUE(has(found["detail"].get<std::string>(), detail)) << part << ", " << what << ": " << found["detail"];
    }
    // Calls expect if this build has the platform's shim. Without the shim it demands that all levels are "no" for that
    // reason.
    void expect_level(const std::string& part, const std::string& what, const std::string& verdict,
                      const std::string& detail) const {
        if (row(part, "shim")["answer"] == "yes")
            expect(part, what, verdict, detail);
        else
            expect(part, what, "no", "shim: libshim" + part + ".so is not in");
    }

    void make_amd() {
        file("/etc/ld.so.conf", "# comment\ninclude /etc/ld.so.conf.d/*.conf\n");
        file("/etc/ld.so.conf.d/rocm.conf", "/elsewhere/lib\n");
        link("/elsewhere/lib/libamdhip64.so.6", "libamdhip64.so.6.2.60200");
        file("/elsewhere/lib/libamdhip64.so.6.2.60200");
        file("/opt/rocm-7.0.1/lib/libamdhip64.so.7");
        file("/sys/module/amdgpu/version", "6.8.5\n");
        file("/sys/module/amdgpu/parameters/cwsr_enable", "1\n");
        file("/sys/class/kfd/kfd/topology/nodes/0/gpu_id", "0\n");
        file("/sys/class/kfd/kfd/topology/nodes/1/gpu_id", "4711\n");
        file("/sys/class/kfd/kfd/topology/nodes/1/properties",
             "simd_count 304\ngfx_target_version 90402\nnum_cp_queues 2\n");
        file("/dev/kfd");
        file("/dev/dri/renderD128");
    }
    // Adds a queue of the program to the files of the made-up kernel driver. `type` 0: a queue for kernels.
    void amd_queue(const std::string& program, const std::string& queue, const std::string& type = "0",
                   const std::string& gpu = "4711") {
        const std::string folder = "/sys/class/kfd/kfd/proc/" + program + "/queues/" + queue;
        file(folder + "/gpuid", gpu + "\n");
        file(folder + "/type", type + "\n");
    }
    void make_nvidia() {
        file("/usr/lib64/libcuda.so.535.1");
        link("/usr/lib64/libcuda.so.1", "libcuda.so.535.1");
        file("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.1\n");
        for (const char* node : {"nvidiactl", "nvidia-uvm", "nvidia0", "nvidia1", "nvidia-modeset"})
            file(std::string("/dev/") + node);
    }

    Json answer;
};

TEST_F(Doctor, EveryNoHasAReasonOnThisMachine) {
    const Outcome outcome = xcli({"doctor", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    answer = outcome.json();
    for (const Json& part : answer["parts"])
        for (const char* list : {"findings", "levels"})
            for (const Json& finding : part[list]) EXPECT_NE(finding["detail"], "") << finding;
    for (const cli::PlatformInfo& platform : cli::kPlatforms)
        for (const char* level : {"level 1", "level 2", "level 3"}) row(platform.name, level);
    EXPECT_EQ(row("system", "memfd")["answer"], "yes");
    EXPECT_NE(row("system", "processors")["detail"], "0 usable");
}

// Doctor with drivers of a future CUDA, HIP or OpenCL, which have functions that XSched does not know.
class DoctorOfNewDrivers : public Doctor {
protected:
    // Puts the stand-in for the driver into the made-up machine. Returns false if this build has no such stand-in.
    bool take(const char* stand_in, const std::string& place) {
        const std::string library = std::string(XSCHED_LIBRARY_DIR) + "/" + stand_in;
        if (!fs::exists(library)) return false;
        file(place);
        return fs::copy_file(library, root() + place, fs::copy_options::overwrite_existing);
    }
    void expect_functions(const char* platform, const std::string& work, const std::string& none) {
        look();
        expect(platform, "functions", "unknown",
               "newer than this XSched, and what they put on the device goes unscheduled: " + work +
                   "; newer, and as their names say no work: " + none);
    }
};

TEST_F(DoctorOfNewDrivers, NamesTheFunctionsThatCudaHasBeyondTheTable) {
    make_nvidia();
    if (!take("libfakecuda.so", "/usr/lib64/libcuda.so.535.1")) GTEST_SKIP() << "no fake driver for CUDA";
    expect_functions("cuda", "cuFutureCopyAsync, cuStreamBeginFutureCapture, cuStreamEndFutureCapture",
                     "cuFutureThing");
    expect_level("cuda", "level 2", "yes", "gates");
}

TEST_F(DoctorOfNewDrivers, NamesTheFunctionsThatHipHasBeyondTheTable) {
    make_amd();
    if (!take("libfakehip.so", "/elsewhere/lib/libamdhip64.so.6.2.60200")) GTEST_SKIP() << "no stand-in for HIP";
    expect_functions("hip", "hipFutureCopyAsync, hipStreamBeginFutureCapture, hipStreamEndFutureCapture",
                     "hipFutureThing");
}

TEST_F(DoctorOfNewDrivers, NamesTheFunctionsThatOpenClHasBeyondTheTable) {
    if (!take("libfakeopencl.so", "/usr/lib64/libOpenCL.so.1")) GTEST_SKIP() << "no stand-in for OpenCL";
    expect_functions("opencl", "clEnqueueFutureThingFAKE", "clFutureThingFAKE");
}

TEST_F(DoctorOfNewDrivers, KnowsAllFunctionsOfTheLoaderThatDebianHas) {
    const std::string loader = cli::Machine("").real_path("/usr/lib/x86_64-linux-gnu/libze_loader.so.1");
    if (!loader.ends_with(".1.8.0")) GTEST_SKIP() << "Level Zero's loader 1.8.0 (Debian: libze1) is not installed";
    file("/usr/lib64/libze_loader.so.1");
    fs::copy_file(loader, root() + "/usr/lib64/libze_loader.so.1", fs::copy_options::overwrite_existing);
    look();
    expect("levelzero", "functions", "yes", "knows all that this library exports");
}

TEST_F(DoctorOfNewDrivers, SaysThatGatesOfLevelZeroAreUnproven) {
    if (!take("libfakelevelzero.so", "/usr/lib64/libze_loader.so.1")) GTEST_SKIP() << "no stand-in for Level Zero";
    look();
    expect("levelzero", "level 2", "unknown", "unproven on hardware, and off");
}

TEST_F(Doctor, SaysThatThePrioritiesOfAnNpuAreUnproven) {
    look();
    EXPECT_FALSE(has(answer.dump(), "NPU priorities")) << "the machine has no NPU";
    file("/sys/class/accel/accel0/device/uevent");
    file("/sys/bus/pci/drivers/intel_vpu/bind");
    fs::create_directory_symlink("../../../../bus/pci/drivers/intel_vpu",
                                 root() + "/sys/class/accel/accel0/device/driver");
    look();
    expect("levelzero", "NPU priorities", "unknown", "only a stand-in for the kernel's driver intel_vpu has tried");
}

TEST_F(Doctor, SaysThatNoAscendNpuHasTriedIt) {
    look();
    expect("ascend", "/dev/davinci_manager", "no", "Huawei's kernel driver is not loaded");
    expect("ascend", "NPUs", "no", "--device");
    expect("ascend", "hardware", "unknown", "neither 310, 310P, 910, 910B");
    file("/dev/davinci_manager");
    file("/dev/davinci3");
    look();
    expect("ascend", "NPUs", "yes", "/dev/davinci3");
}

TEST_F(Doctor, NamesADeviceOfAnotherVendor) {
    file("/sys/bus/pci/devices/0000:c1:00.0/class", "0x120000\n");
    file("/sys/bus/pci/devices/0000:c1:00.0/vendor", "0xcabc\n");
    look();
    expect("devices", "vendor 0xcabc accelerator at 0000:c1:00.0", "no", "CONTRIBUTING.md");
}

TEST_F(Doctor, BelievesNoLibrarysFile) {
    const std::string driver = std::string(XSCHED_LIBRARY_DIR) + "/libfakecuda.so";
    if (!fs::exists(driver)) GTEST_SKIP() << "this build has no fake driver for CUDA";
    make_nvidia();
    const std::string copy = root() + "/usr/lib64/libcuda.so.535.1";
    fs::copy_file(driver, copy, fs::copy_options::overwrite_existing);
    const uintmax_t bytes = fs::file_size(copy);
    for (const uintmax_t kept : {bytes - 1, bytes / 2, uintmax_t{64}, uintmax_t{20}, uintmax_t{0}}) {
        fs::resize_file(copy, kept);
        look();
        expect_level("cuda", "level 1", "yes", "on every device");
    }
}

TEST_F(Doctor, TableForPeople) {
    const Outcome outcome = xcli({"doctor"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out, "PART")) << outcome.out;
    EXPECT_TRUE(has(outcome.out, "no process listens at " + socket())) << outcome.out;
}

TEST_F(Doctor, FindsTheServer) {
    start();
    look();
    // In a container the server does not see all programs, and doctor says no for that.
    const bool sees_all = xcli({"server", "--json"}).json()["blind_spots"].empty();
    expect("xsched", "user's server", sees_all ? "yes" : "no",
           "pid " + std::to_string(server->pid()) + " at " + socket());
}

// xcli doctor warns of a second server of this user: servers do not coordinate, so they must not share a device.
TEST_F(Doctor, NamesOtherServersOfThisUser) {
    start();
    const std::string place = directory.path() + "/elsewhere";
    ASSERT_EQ(mkdir(place.c_str(), 0700), 0);
    Process other({binary("xserver"), "--no-supervise", "--socket", place + "/xserver.sock"}, directory.environment());
    ASSERT_TRUE(other.wait_for_output("listening on")) << other.err();
    look();
    expect("xsched", "one server", "no", place + "/xserver.sock");
    EXPECT_FALSE(has(row("xsched", "one server")["detail"].get<std::string>(), socket())) << "that is the one in use";
    EXPECT_TRUE(has(xcli({"status"}).out, "another server of this user answers at " + place + "/xserver.sock"));
    const Json others = xcli({"status", "--json"}).json()["other_servers"];
    EXPECT_NE(std::find(others.begin(), others.end(), place + "/xserver.sock"), others.end()) << others;
    kill(other.pid(), SIGTERM);
    EXPECT_EQ(other.wait(), 0);
    EXPECT_FALSE(has(xcli({"status"}).out, place)) << "it has left";
}

TEST_F(Doctor, NamesServersOfOtherUsersAndTheRemedy) {
    NEEDS_ROOT("to become another user");
    const std::string place = directory.path() + "/theirs";
    ASSERT_EQ(mkdir(place.c_str(), 0700), 0);
    ASSERT_EQ(chown(place.c_str(), 65534, 65534), 0);
    ASSERT_EQ(chmod(directory.path().c_str(), 0755), 0);
    Process theirs(nobody_runs({binary("xserver"), "--no-supervise", "--socket", place + "/xserver.sock"}), {});
    EXPECT_TRUE(eventually([&] { return access((place + "/xserver.sock").c_str(), F_OK) == 0; }));
    look();
    expect("xsched", "other users", "no", place + "/xserver.sock");
    expect("xsched", "other users", "no", "xserver --system");
    kill(theirs.pid(), SIGTERM);
    EXPECT_EQ(theirs.wait(), 0);
}

TEST_F(Doctor, NothingThere) {
    look();
    expect("opencl", "libOpenCL.so.1", "no", "not found: install the loader");
    expect("opencl", "drivers (ICDs)", "no", "none in /etc/OpenCL/vendors");
    expect("cuda", "libcuda.so.1", "no", "not found");
    expect("cuda", "kernel driver", "no", "not loaded");
    expect("hip", "libamdhip64.so", "no", "not found");
    expect("hip", "/dev/kfd", "no", "--device=/dev/kfd");
    for (const cli::PlatformInfo& platform : cli::kPlatforms)
        for (const char* level : {"level 1", "level 2", "level 3"}) expect(platform.name, level, "no", ": ");
}

TEST_F(Doctor, Amd) {
    make_amd();
    look();
    expect("hip", "libamdhip64.so", "yes", "/elsewhere/lib/libamdhip64.so.6 (libamdhip64.so.6.2.60200), ");
    expect("hip", "libamdhip64.so", "yes", "/opt/rocm-7.0.1/lib/libamdhip64.so.7");
    expect("hip", "kernel driver", "yes", "6.8.5");
    expect("hip", "GPUs", "yes", "node 1 (id 4711, gfx 90402)");
    expect("hip", "/dev/dri/renderD128", "yes", "");
    expect("hip", "cwsr_enable", "yes", "can be saved");
    expect_level("hip", "level 1", "yes", "");
    expect_level("hip", "level 2", "yes", "gates");
    expect_level("hip", "level 3", "yes", "XSCHED_INTERRUPT=1");
}

TEST_F(Doctor, AmdThatCannotSaveWhatRuns) {
    make_amd();
    file("/sys/module/amdgpu/parameters/cwsr_enable", "0\n");
    look();
    expect("hip", "cwsr_enable", "no", "cwsr_enable=1");
    expect_level("hip", "level 1", "yes", "");
    expect_level("hip", "level 3", "no", "cwsr_enable=1");
}

TEST_F(Doctor, AmdWithMoreQueuesThanTheHardwareTakes) {
    make_amd();
    amd_queue("11", "0");
    amd_queue("11", "1", "1");  // for copies
    amd_queue("12", "0", "0", "4712");  // on another GPU
    amd_queue("12", "1");
    look();
    expect("hip", "compute queues", "yes", "node 1: 2 of 2 that it takes at once");
    amd_queue("13", "0");
    look();
    expect("hip", "compute queues", "no",
           "node 1: 3 of 2 that it takes at once: the kernel gives them the GPU in turns");
    expect_level("hip", "level 1", "yes", "");
}

TEST_F(Doctor, AmdWithoutPermission) {
    make_amd();
    fs::remove(root() + "/dev/kfd");
    fs::create_directory(root() + "/dev/kfd");  // refuses, to root as well
    look();
    expect("hip", "/dev/kfd", "no", "groups render and video");
    expect_level("hip", "level 1", "no", "/dev/kfd: Is a directory");
}

// A variable of the runtime's that is set is shown; what is not set is not.
TEST(DoctorOfTheRuntime, ShowsAmdsVariables) {
    const auto shown = [](const std::string& name) {
        for (const cli::Finding& row : cli::settings_of_hip(cli::Machine("")))
            if (row.what == name) return row.detail;
        return std::string();
    };
    for (const char* name :
         {"GPU_MAX_HW_QUEUES", "DEBUG_HIP_DYNAMIC_QUEUES", "DEBUG_HIP_IGNORE_STREAM_PRIORITY",
          "DEBUG_HIP_FORCE_GRAPH_QUEUES", "HSA_MAX_QUEUES", "HIP_FORCE_DEV_KERNARG", "ROC_USE_FGS_KERNARG",
          "HSA_ALLOCATE_QUEUE_DEV_MEM", "GPU_STREAMOPS_CP_WAIT", "AMD_DIRECT_DISPATCH"}) {
        EXPECT_EQ(shown(name), "");
        setenv(name, "7", 1);
        EXPECT_EQ(shown(name), "7") << name;
        unsetenv(name);
    }
}

TEST_F(Doctor, Nvidia) {
    make_nvidia();
    look();
    expect("cuda", "libcuda.so.1", "yes", "/usr/lib64/libcuda.so.1 (libcuda.so.535.1)");
    expect("cuda", "kernel driver", "yes", "535.1");
    expect("cuda", "GPUs", "yes", "nvidia0, nvidia1");
    EXPECT_FALSE(has(row("cuda", "GPUs")["detail"].get<std::string>(), "modeset"));
    for (const char* level : {"level 1", "level 2", "level 3"}) expect_level("cuda", level, "yes", "");
}

TEST_F(Doctor, VulkanHasLevelThreeOnNvidia) {
    file("/usr/lib64/libvulkan.so.1");
    file("/usr/share/vulkan/icd.d/nvidia_icd.json");
    look();
    expect_level("vulkan", "level 3", "no", "NVIDIA");
    make_nvidia();
    look();
    expect_level("vulkan", "level 3", "yes", "swapchain");
}

TEST_F(Doctor, NvidiaUnderMps) {
    make_nvidia();
    file("/tmp/nvidia-mps/control");
    look();
    expect_level("cuda", "level 2", "yes", "");
    expect_level("cuda", "level 3", "no", "MPS");
}

TEST_F(Doctor, NvidiaOnWsl) {
    file("/usr/lib/wsl/lib/libcuda.so.1");
    file("/dev/dxg");
    look();
    expect_level("cuda", "level 1", "yes", "");
    expect_level("cuda", "level 3", "no", "WSL");
}

TEST_F(Doctor, OurOwnLibraryIsNotTheDriver) {
    file("/usr/lib64/libshimcuda.so");
    link("/usr/lib64/libcuda.so.1", "libshimcuda.so");
    look();
    expect("cuda", "libcuda.so.1", "no", "not found");
}

TEST_F(Doctor, OpenclDrivers) {
    file("/usr/lib64/libOpenCL.so.1");
    file("/etc/OpenCL/vendors/gone.icd", "libgone.so.1\n");
    look();
    expect("opencl", "drivers (ICDs)", "no", "gone.icd names libgone.so.1, which is not there");
    expect_level("opencl", "level 1", "no", "gone.icd");
    file("/etc/OpenCL/vendors/here.icd", "/opt/vendor/libhere.so\n");
    file("/opt/vendor/libhere.so");
    look();
    expect("opencl", "drivers (ICDs)", "yes", "here.icd (/opt/vendor/libhere.so); gone.icd names");
    expect_level("opencl", "level 1", "yes", "");
    expect_level("opencl", "level 3", "no", "no way");
}

TEST_F(Doctor, BadRoot) { expect_sentence({"doctor", "--root", root() + "/nowhere"}, "is not a folder"); }

}  // namespace
}  // namespace xsched::test
