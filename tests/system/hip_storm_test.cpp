// Preemptions and kills one after the other, on HIP's stand-in with every lock that a runtime may hold. All ways that
// the kernel driver may offer or refuse come, with evictions and costs: no program hangs, and no result is wrong (the
// programs compare after each batch). XSCHED_TEST_PREEMPTIONS and XSCHED_TEST_KILLS: how many in all. How many there
// were, by the server's count, and the longest wait are printed.
#include "system/cuda_rig.h"

namespace xsched::test {
namespace {

constexpr int kHangMs = 5000;
constexpr int kTellEvery = 50;
const std::string kHsa = built_file(TEST_HSA);

struct StormMode {
    const char* name;
    Environment environment;
};

const StormMode kModes[] = {
    {"by the debugger", {{"XSCHED_INTERRUPT", "1"}, {"FAKE_KFD_COST_US", "300"}}},
    {"without the runtime's word", {{"XSCHED_INTERRUPT", "1"}, {"FAKE_KFD_NO_RUNTIME", "1"}}},
    {"evicted", {{"XSCHED_INTERRUPT", "1"}, {"FAKE_KFD_REFUSE", "26:16"}, {"FAKE_KFD_EVICT_US", "3000"}}},
    {"a patched driver",
     {{"XSCHED_INTERRUPT", "1"}, {"XSCHED_HIP_INTERRUPT", "preempt"}, {"CUDA_PROGRAM_COPIES", "1"}}},
    {"a fault", {{"XSCHED_INTERRUPT", "1"}, {"XSCHED_HIP_INTERRUPT", "update"}, {"FAKE_KFD_EFAULT", "9"}}},
    {"refused", {{"XSCHED_INTERRUPT", "1"}, {"FAKE_KFD_REFUSE", "07:1,26:22,87:25"}}},
    {"signal memory",
     {{"XSCHED_INTERRUPT", "1"},
      {"FAKE_HIP_CP_WAIT", "1"},
      {"GPU_STREAMOPS_CP_WAIT", "1"},  // of AMD's own runtime
      {"CUDA_PROGRAM_COPIES", "1"}}},
    {"gates alone", {{"CUDA_PROGRAM_COPIES", "1"}}},
    {"copies in pieces",
     {{"XSCHED_INTERRUPT", "1"}, {"XSCHED_COPY_PIECE", "4096"}, {"CUDA_PROGRAM_COPY_BYTES", "65536"}}},
    {"copies in pieces before gates", {{"XSCHED_COPY_PIECE", "4096"}, {"CUDA_PROGRAM_COPY_BYTES", "65536"}}},
    {"queues observed", {{"XSCHED_INTERRUPT", "1"}, {"FAKE_HIP_HSA", kHsa}, {"FAKE_HSA_LOCAL", "1"}}},
    {"few compute units",
     {{"XSCHED_INTERRUPT", "1"},
      {"XSCHED_HIP_INTERRUPT", "mask"},
      {"XSCHED_HIP_FEW_UNITS", "4"},
      {"FAKE_KFD_UNITS", "32"},
      {"FAKE_KFD_EVICT_US", "5000"}}},
    {"few units of observed queues",
     {{"XSCHED_INTERRUPT", "1"},
      {"XSCHED_HIP_INTERRUPT", "mask"},
      {"XSCHED_HIP_FEW_UNITS", "4"},
      {"FAKE_KFD_UNITS", "32"},
      {"FAKE_HIP_HSA", kHsa},
      {"FAKE_HSA_LOCAL", "1"},
      {"CUDA_PROGRAM_COPIES", "1"}}},
    {"streams that move",
     {{"XSCHED_INTERRUPT", "1"},
      {"FAKE_HIP_HSA", kHsa},
      {"FAKE_HSA_LOCAL", "1"},
      {"FAKE_HIP_DYNAMIC_QUEUES", "1"},
      {"FAKE_KFD_EVICT_US", "5000"}}},
};
constexpr int kModeCount = static_cast<int>(std::size(kModes));

class HipStorm : public CudaProcesses {
protected:
    std::unique_ptr<CudaProgram> start(const std::string& name, const StormMode& mode, int priority) {
        Environment more = mode.environment;
        more["FAKE_HIP_SYNC_LOCK"] = more["FAKE_CUDA_COPY_LOCK"] = "1";
        return start_program(name + std::to_string(++started_), priority, more, {"-", priority > 0 ? "100" : "1000"});
    }
    bool goes_on(CudaProgram& program) {
        const int64_t began = base::now_ns();
        const uint64_t before = program.done();
        const bool does = eventually([&] { return program.done() > before; }, kHangMs);
        longest_ns_ = std::max(longest_ns_, base::now_ns() - began);
        return does;
    }
    // Returns how often the server has suspended the program while it had work.
    uint64_t preemptions_of(const CudaProgram& program) {
        uint64_t sum = 0;
        for (const Json& queue : queues_of(program.pid())) sum += queue.value("preemptions", uint64_t{0});
        return sum;
    }
    // Prints counts and the longest time as a line of JSON, for a person who runs the storm for hours.
    void tell(const char* mode, const char* what, uint64_t count) {
        const double longest_ms = static_cast<double>(longest_ns_) / 1e6;
        printf("storm: %s\n", Json{{"mode", mode}, {what, count}, {"longest_ms", longest_ms}}.dump().c_str());
        fflush(stdout);
        longest_ns_ = 0;
    }
    // Returns a text for a failed test: whether the program hangs, or the machine was busy.
    std::string what_then(CudaProgram& program) {
        const uint64_t before = program.done();
        const bool later = eventually([&] { return program.done() > before; });
        const std::string seen = later ? ": it went on later" : ": it never went on; ";
        return seen + (later ? "" : queues_of(program.pid()).dump()) + program.process().err();
    }
    // Runs one burst of the urgent program, and waits until the low program continues after it.
    void preempt(const StormMode& mode) {
        high->work();
        ASSERT_TRUE(goes_on(*high)) << mode.name << what_then(*high);
        high->rest();
        ASSERT_TRUE(goes_on(*low)) << mode.name << what_then(*low);
    }

    int started_ = 0;
    int64_t longest_ns_ = 0;
};

class HipStormModes : public HipStorm, public ::testing::WithParamInterface<int> {};

TEST_P(HipStormModes, Preemptions) {
    const StormMode& mode = kModes[GetParam()];
    const int each = (count_of("XSCHED_TEST_PREEMPTIONS", 182) + kModeCount - 1) / kModeCount;
    low = start("low", mode, 0);
    high = start("high", mode, 10);
    low->work();
    ASSERT_TRUE(eventually([&] { return low->done() > 0; })) << low->process().err();
    // A burst between two batches of the other's preempts no program: then some more.
    uint64_t preempted = 0;
    for (int i = 0; i < each || (i < 2 * each && preempted < static_cast<uint64_t>(each)); ++i) {
        preempt(mode);
        if (HasFatalFailure()) return;
        if (i + 1 >= each) preempted = preemptions_of(*low);
    }
    EXPECT_GT(preempted, static_cast<uint64_t>(each) / 2);
    tell(mode.name, "preemptions", preempted);
    EXPECT_EQ(high->end(), 0) << high->process().err();
    EXPECT_EQ(low->end(), 0) << low->process().err();
}

INSTANTIATE_TEST_SUITE_P(Storm, HipStormModes, ::testing::Range(0, kModeCount), [](const auto& mode) {
    std::string name = kModes[mode.param].name;
    std::replace_if(name.begin(), name.end(), [](char it) { return isalnum(it) == 0; }, '_');
    return name;
});

// A program that is suspended for one that is killed goes on; a program that is killed while suspended leaves nothing
// behind.
TEST_F(HipStorm, Kills) {
    const int kills = count_of("XSCHED_TEST_KILLS", 18);
    low = start("low", kModes[0], 0);
    low->work();
    ASSERT_TRUE(goes_on(*low)) << low->process().err();
    for (int i = 0; i < kills; ++i) {
        const StormMode& mode = kModes[i % kModeCount];
        high = start("high", mode, 10);
        high->work();
        ASSERT_TRUE(eventually([&] { return high->done() > 0; })) << mode.name << high->process().err();
        if (i % 4 == 3) {
            kill(low->pid(), SIGKILL);
            low = start("low", kModes[(i + 1) % kModeCount], 0);
            low->work();
        }
        kill(high->pid(), SIGKILL);
        high->process().wait();
        if (i % 4 == 3) {  // it has its beginning before it
            ASSERT_TRUE(eventually([&] { return low->done() > 0; })) << mode.name << what_then(*low);
        }
        ASSERT_TRUE(goes_on(*low)) << mode.name << what_then(*low);
        if ((i + 1) % kTellEvery == 0 || i + 1 == kills) tell("all", "kills", static_cast<uint64_t>(i + 1));
    }
    EXPECT_EQ(low->end(), 0) << low->process().err();
}

}  // namespace
}  // namespace xsched::test
