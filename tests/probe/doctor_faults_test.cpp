// xcli doctor --run on stand-ins that fail: each fault leads to its verdict, in bounded time.
#include <filesystem>

#include "probe/doctor_rig.h"

namespace xsched::test {
namespace {

class DoctorFaults : public DoctorRuns {
protected:
    void file(const std::string& path, const std::string& text) const { make_file(root() + path, text); }
    std::string root() const { return directory / "machine"; }
    // Runs the doctor's trials on a stand-in with these faults, with the system files and settings of a made-up
    // machine.
    void try_with_files(const std::string& steps, const Environment& faults) {
        try_hip(steps, faults, {"--root", root()});
    }
};

constexpr const char* kGates = "runtime,device,routes,gate";
constexpr const char* kWays = "runtime,device,routes,gate,way update,way debug,way preempt";
// The trials with a mask, for which the stand-in runs kernels side by side.
constexpr const char* kMask = "runtime,device,routes,gate,way update,way debug,way preempt,way mask";

// One variable of a stand-in, and what it leads to: the verdict about a level (0: about none), and a note.
struct Fault {
    const char* name;
    bool cuda;  // otherwise HIP
    const char* steps;
    const char* variable;
    const char* value;
    int level;
    const char* answer;
    const char* because;
    const char* note;
};

class EachFault : public DoctorFaults, public testing::WithParamInterface<Fault> {};

TEST_P(EachFault, LeadsToItsVerdict) {
    const Fault& it = GetParam();
    const Environment faults{{it.variable, it.value}};
    it.cuda ? try_cuda(it.steps, faults) : try_hip(it.steps, faults);
    if (it.level != 0) expect_level(it.level, it.answer, it.because);
    if (*it.note != '\0') expect_note(it.note);
}

constexpr Fault kFaults[] = {
    {"RuntimeThatIsTooOld", false, "runtime", "FAKE_HIP_VERSION", "40500000", 1, "do not use", "version 4.5 is too old",
     ""},
    {"NoWaitValues", false, kGates, "FAKE_CUDA_NO_MEMOPS", "1", 2, "do not use",
     "refuses to let a stream wait for a word (error 801)", ""},
    {"MemoryThatCannotBeRegistered", false, kGates, "FAKE_CUDA_FAIL", "hipHostRegister:*:1", 2, "do not use",
     "does not take shared memory for a device to wait on (error 1)", ""},
    {"GateThatNeverOpens", false, kGates, "FAKE_CUDA_STORES_SEEN_MS", "-1", 2, "do not use", "a gate never opens", ""},
    {"StoresOfOthersThatAreNotSeen", false, kGates, "FAKE_CUDA_OTHERS_UNSEEN", "1", 2, "do not use",
     "a gate never opens: the device does not see what another process stores", ""},
    {"StoresThatAreSeenLate", false, kGates, "FAKE_CUDA_STORES_SEEN_MS", "250", 2, "do not use",
     "sees what this process stores only after", ""},
    {"GateThatDoesNotHold", false, kGates, "FAKE_CUDA_OPEN_GATES", "1", 2, "do not use", "a gate does not hold", ""},
    {"FirstWayNotPermitted", false, kWays, "FAKE_KFD_REFUSE", "07:1,87:25", 3, "not tried", "stop 3",
     "level 3 by the way update is refused: Operation not permitted"},
    {"SomebodyElseDebugs", false, kWays, "FAKE_KFD_REFUSE", "26:16", 3, "not tried", "stop 3",
     "level 3 by the way debug is refused: Device or resource busy"},
    {"ARuntimeThatTheDriverDoesNotKnowOf", false, kWays, "FAKE_KFD_NO_RUNTIME", "1", 3, "not tried", "stop 3",
     "level 3 by the way debug is refused: Operation not permitted"},
    {"WaysWithoutEffect", false, kWays, "FAKE_KFD_NO_EFFECT", "1", 3, "do not use", "update: without effect", ""},
    {"ResultsThatAreLost", false, kWays, "FAKE_CUDA_INEXACT", "1", 3, "do not use",
     "debug: the result is wrong afterwards", ""},
    {"FewComputeUnitsRefused", false, kMask, "FAKE_KFD_REFUSE", "07:14,26:16,87:25,1a:14", 3, "do not use",
     "mask: refused (Bad address)", "victims cannot be kept to few compute units: Bad address"},
    {"StreamsThatShareAQueue", false, "device,gate,sharing", "FAKE_CUDA_HARDWARE_QUEUES", "1", 0, "", "",
     "those with the numbers 2, 3, 4, 5, 6, 7, 8, 9 share stream 1's hardware queue"},
    {"CopiesThatHoldALock", false, "device,standing", "FAKE_CUDA_COPY_LOCK", "1", 0, "", "",
     "holds a stream's lock while a thread copies to memory that the runtime does not know"},
    {"SynchronizesThatHoldALock", false, "device,standing", "FAKE_HIP_SYNC_LOCK", "1", 0, "", "",
     "holds a stream's lock while a thread synchronizes"},
    {"CudaWithoutWaitValues", true, "device,routes,gate", "FAKE_CUDA_NO_MEMOPS", "1", 2, "do not use",
     "refuses to let a stream wait for a word (error 801)", ""},
    {"CudaChannelsThatStandForShow", true, "device,routes,gate,stop 3", "FAKE_RM_NO_EFFECT", "1", 3, "do not use",
     "the kernel that runs is not taken off", ""},
};
INSTANTIATE_TEST_SUITE_P(One, EachFault, testing::ValuesIn(kFaults),
                         [](const auto& it) { return std::string(it.param.name); });

// --- the runtime and the device

TEST_F(DoctorFaults, KernelThatHangs) {
    patience = "2";
    try_hip("runtime,device,stop 1", {{"FAKE_CUDA_KERNEL_HANG", "1"}});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(step("device")["ending"], "hung");
    EXPECT_EQ(step("stop 1")["ending"], "not run");
    expect_level(1, "do not use", "\"device\" hung: no answer for 2 s while opening the runtime and running the first");
}

TEST_F(DoctorFaults, CallThatHangs) {
    patience = "2";
    try_hip("runtime,device", {{"FAKE_CUDA_FAIL", "hipMemcpyDtoH:*:hang"}});
    expect_level(1, "do not use", "\"device\" hung: no answer for 2 s while comparing the result");
    ASSERT_FALSE(step("device")["threads"].empty()) << step("device");
    EXPECT_TRUE(step("device")["threads"][0].contains("state")) << step("device");
    EXPECT_TRUE(has(step("device")["log"].get<std::string>(), "stack of thread ")) << step("device");
}

TEST_F(DoctorFaults, HangInTheRuntimesFirstCall) {
    patience = "2";
    try_hip("runtime", {{"FAKE_CUDA_FAIL", "hipInit:*:hang"}});
    expect_level(1, "do not use", "\"runtime\" hung: no answer for 2 s while initializing the HIP runtime");
}

TEST_F(DoctorFaults, CallThatCrashes) {
    try_hip("runtime,device,routes", {{"FAKE_CUDA_FAIL", "hipMemcpyDtoH:*:crash"}});
    EXPECT_EQ(step("device")["ending"], "crashed");
    EXPECT_EQ(step("runtime")["ending"], "done");
    expect_level(1, "do not use", "\"device\" crashed: ended by Segmentation fault while comparing the result");
}

TEST_F(DoctorFaults, SeveralRuntimes) {
    std::string preloaded = FAKE_KFD;
    for (const char* name : {"libamdhip64.so.5", "libamdhip64.so.6"}) {
        std::filesystem::copy_file(FAKE_HIP, directory / name);
        preloaded += ":" + (directory / name);
    }
    try_hip("runtime", {{"LD_PRELOAD", preloaded}});
    expect_note("one process has several HIP runtimes (");
}

TEST_F(DoctorFaults, NoCodeObject) {
    try_hip("runtime,device", {{"FAKE_CUDA_FAIL", "hipModuleLoadData:*:209"}});
    EXPECT_EQ(outcome.status, 2);
    expect_level(1, "do not use", "there is no code for the GPU: the HIP runtime has no hiprtcCreateProgram");
}

// A device for which neither PTX nor hiprtc is usable (AMD's): the probe uses the code that was compiled into it.
TEST_F(DoctorFaults, CodeThatWasCompiledBefore) {
    if (!AMD_CODE) GTEST_SKIP() << "no clang here has AMD's GPUs as a target";
    for (const char* processor : {"gfx90a", "gfx942"}) {
        try_hip("runtime,device", {{"FAKE_HIP_CODE", processor}});
        EXPECT_EQ(step("device")["ending"], "done") << processor << step("device");
    }
    try_hip("runtime,device", {{"FAKE_HIP_CODE", "gfx1100"}});
    expect_level(1, "do not use", "takes none of this build's own (gfx90a, gfx942; error 209)");
}

TEST_F(DoctorFaults, NoPermission) {
    file("/opt/rocm/lib/libamdhip64.so.7", "");
    file("/sys/module/amdgpu/version", "6.8.5\n");
    std::filesystem::create_directories(root() + "/dev/kfd");  // refuses, to root as well
    try_with_files("runtime,device", {{"FAKE_CUDA_FAIL", "hipGetDeviceCount:*:100"}});
    expect_level(1, "do not use",
                 "the likely cause is /dev/kfd: Is a directory: add the user to the groups render and video");
}

// A runtime like ROCm 7's, which hands out its table of functions and calls its own exported functions: each launch
// is seen once.
TEST_F(DoctorFaults, ARuntimeThatCallsItsOwnExports) {
    try_hip("runtime,device,routes", {{"FAKE_HIP_TABLE", "1"}, {"FAKE_HIP_CALLS_EXPORTS", "1"}});
    for (const Json& route : step("routes")["found"]["routes"]) EXPECT_EQ(route["seen"], 1) << route;
    expect_level(1, "not tried", "stop 1");
}

// --- level 3

TEST_F(DoctorFaults, EveryWayRefused) {
    try_hip(kWays, {{"FAKE_KFD_REFUSE", "07:14,26:16,87:25"}});
    EXPECT_EQ(outcome.status, 1);
    expect_level(3, "do not use", "update: refused (Bad address); debug: refused (Device or resource busy); preempt: ");
}

// In AMD's kernel driver before a fix of 2025-12, the call that fails with EFAULT leaves a lock held, and the next call
// would hang. The stand-in ends a program that makes another such call.
TEST_F(DoctorFaults, AFaultThatLeavesALockHeld) {
    try_hip(kWays, {{"FAKE_KFD_EFAULT", "1"}});
    EXPECT_EQ(step("way update")["ending"], "done") << step("way update");
    expect_note("level 3 by the way update is refused: Bad address");
    expect_level(3, "not tried", "stop 3");
}

// Evictions by the driver do not count as stops that the probe asked for, and spoil no verdict.
TEST_F(DoctorFaults, QueuesThatAreEvicted) {
    patience = "20";
    try_hip(kWays, {{"FAKE_KFD_EVICT_US", "3000"}});
    expect_level(3, "not tried", "stop 3");
    for (const char* way : {"way update", "way debug", "way preempt"})
        EXPECT_TRUE(step(way)["found"].is_object() && step(way)["found"]["exact"] == true) << step(way);
}

TEST_F(DoctorFaults, RoundsThatStopEverybody) {
    patience = "15";  // each round of every process costs that, and more on a busy machine
    try_hip("runtime,device,way update", {{"FAKE_KFD_COST_US", "30000"}, {"FAKE_KFD_SHARED", directory / "rounds"}});
    expect_note("suspending queues by update disturbs other programs: the p99 of one's bursts goes from ");
}

TEST_F(DoctorFaults, KernelThatIsNotTakenOffUnderTheShim) {
    try_hip("runtime,device,routes,gate,way debug,stop 3", {{"FAKE_KFD_REFUSE", "07:1,26:1,87:25"}});
    expect_level(3, "do not use", "");
    EXPECT_TRUE(comes_to_be([&] { return step("stop 3")["found"]["rounds_completing"] > 0; })) << step("stop 3");
}

const Environment kFewUnits{{"FAKE_KFD_UNITS", "32"}, {"XSCHED_HIP_FEW_UNITS", "4"}};

TEST_F(DoctorFaults, OnlyFewComputeUnitsAreLeft) {
    Environment faults = kFewUnits;
    faults["FAKE_KFD_REFUSE"] = "07:1,26:1,87:25";
    faults["FAKE_KFD_SHARED"] = directory / "units";
    try_hip(kMask, faults);
    expect_level(3, "not tried", "stop 3");  // that is, masks have an effect
    EXPECT_EQ(step("way mask")["found"]["units"], 4);
    expect_note("with XSCHED_HIP_INTERRUPT=mask a victim goes on on 4 compute units");
}

TEST_F(DoctorFaults, MasksWithoutEffect) {
    Environment faults = kFewUnits;
    faults["FAKE_KFD_NO_EFFECT"] = "1";
    try_hip(kMask, faults);
    expect_level(3, "do not use", "mask: without effect: on 4 compute units a kernel takes as long as on all");
}

class DoctorFaultsPriority : public DoctorFaults {
protected:
    void expect_priorities(const char* what, Environment faults) {
        faults["FAKE_KFD_UNITS"] = "32";
        faults["FAKE_KFD_SHARED"] = directory / "units";
        try_hip("runtime,device,way priority", faults);
        EXPECT_EQ(step("way priority")["found"]["exact"], true);
        expect_note(std::string("the hardware's queue priorities ") + what);
    }
};

TEST_F(DoctorFaultsPriority, ThatHelps) { expect_priorities("help:", {}); }

TEST_F(DoctorFaultsPriority, WithoutEffect) { expect_priorities("do not help here:", {{"FAKE_KFD_NO_EFFECT", "1"}}); }

TEST_F(DoctorFaultsPriority, Refused) {
    try_hip("runtime,device,way priority", {{"FAKE_KFD_REFUSE", "07:1"}});
    expect_note("refuses to change a queue's priority: Operation not permitted");
}

TEST_F(DoctorFaults, NothingIsSaved) {
    file("/sys/module/amdgpu/parameters/cwsr_enable", "0\n");
    try_with_files("runtime,device,routes,gate", {});
    expect_level(3, "do not use", "cwsr_enable: 0: what runs on the GPU cannot be saved");
}

// --- what speaks against no level

TEST_F(DoctorFaults, PagesThatMove) {
    file("/proc/sys/kernel/numa_balancing", "1\n");
    try_with_files("runtime", {});
    expect_note("NUMA balancing is on: ");
}

// --- OpenCL

TEST_F(DoctorFaults, OpenclThatComputesSomethingElse) {
    if (*FAKE_CL == '\0') GTEST_SKIP() << "OpenCL is not built here";
    try_opencl("device,stop 1", {});
    expect_level(1, "do not use", "the result is wrong without XSched, on the device alone");
}

TEST_F(DoctorFaults, OpenclWithoutACompiler) {
    if (*FAKE_CL == '\0') GTEST_SKIP() << "OpenCL is not built here";
    try_opencl("device,stop 1", {{"FAKE_CL_FAIL", "clBuildProgram:*:-11"}});
    expect_level(1, "do not use", "\"device\" failed: clBuildProgram failed with OpenCL error -11");
    EXPECT_FALSE(has(level(1)["because"].get<std::string>(), "likely cause")) << "the driver is there";
    EXPECT_EQ(step("stop 1")["ending"], "not run");
}

TEST_F(DoctorFaults, OpenclWithoutADevice) {
    if (*FAKE_CL == '\0') GTEST_SKIP() << "OpenCL is not built here";
    try_opencl("device", {{"FAKE_CL_FAIL", "clGetDeviceIDs:*:-1"}});
    expect_level(1, "do not use", "no OpenCL device of this type answers");
}

}  // namespace
}  // namespace xsched::test
