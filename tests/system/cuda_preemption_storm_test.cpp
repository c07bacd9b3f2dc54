// Preempted again and again, a program computes what it computes alone: its kernels are not idempotent, and it compares
// its word with a sequential reference after each batch (cuda_program.cpp). By gates, and by taking long kernels off
// the device.
//
// An ordinary run makes some hundred preemptions; a long one, as many as XSCHED_TEST_PREEMPTIONS says, each way:
//   XSCHED_TEST_PREEMPTIONS=10000 ctest --test-dir build -R cuda_preemption_storm --verbose
#include "system/rm_rig.h"

namespace xsched::test {
namespace {

constexpr int kUsual = 250;
constexpr int kMostMsEach = 200;  // of a preemption, on a busy machine
// Urgent work comes in bursts, with pauses longer than any anticipation: each burst is a preemption. Most gaps in its
// work are short, and in the pauses the other gets far enough that its commands are known to be long: so an interrupt
// is worth its price (sched/facts/mechanism.h).
constexpr uint32_t kBurst = 8;
constexpr uint32_t kStormPauseUs = 7000;

class CudaPreemptionStorm : public CudaOnRm {
protected:
    void start_pair(const char* low_us, const Environment& more) {
        low = start_on_rm("low", 0, low_us, more);
        high = start_on_rm("high", 10, "20", more);
        high->pause(kBurst, kStormPauseUs);
        low->work();
        ASSERT_TRUE(eventually([&] { return low->done() > 0; })) << low->process().err();
        low_rm = rm_of(low->pid());
        ASSERT_TRUE(low_rm->there());
        high->work();
    }
    uint64_t preemptions() {
        const Json queues = queues_of(low->pid());
        return queues.empty() ? 0 : queues[0].value("preemptions", uint64_t{0});
    }
    // Returns how often the low program's channels were disabled while a kernel was running.
    uint64_t interrupts() { return low_rm->state().disables.load(); }
    // Lets the programs compete until `count` has reached the wanted number.
    template <typename Count>
    void storm(Count count) {
        const int64_t began = base::now_ns();
        uint64_t seen = 0;
        while (seen < wanted_) {
            const uint64_t next = std::min<uint64_t>(seen + 100, wanted_);
            ASSERT_TRUE(eventually([&] { return (seen = count()) >= next || ended(); }, 100 * kMostMsEach))
                << "no more than " << seen;
            ASSERT_FALSE(ended()) << low->process().err() << high->process().err();
        }
        high->rest();
        const uint64_t before = low->done();
        EXPECT_TRUE(eventually([&] { return low->done() > before; })) << "it does not go on";
        const uint64_t preempted = preemptions();
        EXPECT_EQ(high->end(), 0) << high->process().err();
        EXPECT_EQ(low->end(), 0) << low->process().err();
        std::printf("%llu preemptions, %llu times off the device, in %.1f s: %llu kernels\n",
                    static_cast<unsigned long long>(preempted), static_cast<unsigned long long>(interrupts()),
                    static_cast<double>(base::now_ns() - began) / base::kSecond,
                    static_cast<unsigned long long>(low->done()));
    }
    bool ended() const { return has_ended(*low) || has_ended(*high); }
    static bool has_ended(const CudaProgram& program) {
        siginfo_t info{};
        return waitid(P_PID, static_cast<id_t>(program.pid()), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
               info.si_pid != 0;
    }

    const uint64_t wanted_ = static_cast<uint64_t>(count_of("XSCHED_TEST_PREEMPTIONS", kUsual));
    std::unique_ptr<RmFile> low_rm;
};

TEST_F(CudaPreemptionStorm, ByGates) {
    ASSERT_NO_FATAL_FAILURE(start_pair("100", {{"XSCHED_INTERRUPT", "0"}}));
    storm([&] { return preemptions(); });
    EXPECT_EQ(interrupts(), 0u);
}

TEST_F(CudaPreemptionStorm, ByTakingLongKernelsOffTheDevice) {
    ASSERT_NO_FATAL_FAILURE(start_pair("10000", {}));
    storm([&] { return interrupts(); });
    EXPECT_EQ(low_rm->disabled(), 0u);
}

// A program whose driver loses a kernel, or runs one too early, ends with "wrong result". The other tests rely on
// that.
TEST_F(CudaPreemptionStorm, AWrongResultIsNoticed) {
    for (const char* mode : {"drop", "order"}) {
        low = start_program(std::string("broken-") + mode, 0, {{"FAKE_CUDA_BREAK_ORDER", mode}});
        low->work();
        EXPECT_EQ(low->process().wait(), kWrongResult) << mode << ": " << low->process().err();
    }
}

}  // namespace
}  // namespace xsched::test
