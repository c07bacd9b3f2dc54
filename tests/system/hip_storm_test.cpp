// Preemptions and kills one after the other, on HIP's stand-in with every lock that a runtime may hold. All ways that
// the kernel driver may offer or refuse come, with evictions and costs: nobody hangs, and no result is wrong (the
// programs compare after each batch). XSCHED_TEST_PREEMPTIONS and XSCHED_TEST_KILLS: how many in all.
#include "system/cuda_rig.h"

namespace xsched::test {
namespace {

constexpr int kHangMs = 5000;

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
    {"signal memory", {{"XSCHED_INTERRUPT", "1"}, {"FAKE_HIP_CP_WAIT", "1"}, {"CUDA_PROGRAM_COPIES", "1"}}},
    {"gates alone", {{"CUDA_PROGRAM_COPIES", "1"}}},
    {"queues observed", {{"XSCHED_INTERRUPT", "1"}, {"FAKE_HIP_HSA", TEST_HSA}, {"FAKE_HSA_LOCAL", "1"}}},
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
      {"FAKE_HIP_HSA", TEST_HSA},
      {"FAKE_HSA_LOCAL", "1"},
      {"CUDA_PROGRAM_COPIES", "1"}}},
    {"streams that move",
     {{"XSCHED_INTERRUPT", "1"},
      {"FAKE_HIP_HSA", TEST_HSA},
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
    static bool goes_on(CudaProgram& program) {
        const uint64_t before = program.done();
        return eventually([&] { return program.done() > before; }, kHangMs);
    }
    // For the one who reads of a failure: whether it hangs, or the machine was busy.
    std::string what_then(CudaProgram& program) {
        const uint64_t before = program.done();
        const bool later = eventually([&] { return program.done() > before; });
        const std::string seen = later ? ": it went on later" : ": it never went on; ";
        return seen + (later ? "" : queues_of(program.pid()).dump()) + program.process().err();
    }
    // One burst of the urgent one, and the other goes on behind it.
    void preempt(const StormMode& mode) {
        high->work();
        ASSERT_TRUE(goes_on(*high)) << mode.name << what_then(*high);
        high->rest();
        ASSERT_TRUE(goes_on(*low)) << mode.name << what_then(*low);
    }

    int started_ = 0;
};

TEST_F(HipStorm, Preemptions) {
    const int each = count_of("XSCHED_TEST_PREEMPTIONS", 160) / kModeCount;
    for (const StormMode& mode : kModes) {
        low = start("low", mode, 0);
        high = start("high", mode, 10);
        low->work();
        ASSERT_TRUE(eventually([&] { return low->done() > 0; })) << mode.name << low->process().err();
        for (int i = 0; i < each; ++i) {
            preempt(mode);
            if (HasFatalFailure()) return;
        }
        EXPECT_EQ(high->end(), 0) << mode.name << high->process().err();
        EXPECT_EQ(low->end(), 0) << mode.name << low->process().err();
    }
}

// Whoever is suspended for one that is killed goes on; one that is killed while suspended leaves nothing behind.
TEST_F(HipStorm, Kills) {
    const int kills = count_of("XSCHED_TEST_KILLS", 16);
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
        const auto patience = i % 4 == 3 ? kPatienceMs : kHangMs;
        const uint64_t before = low->done();
        ASSERT_TRUE(eventually([&] { return low->done() > before; }, patience)) << mode.name << low->process().err();
    }
    EXPECT_EQ(low->end(), 0) << low->process().err();
}

}  // namespace
}  // namespace xsched::test
