// Programs that use HSA and no HIP under the real server, on stand-ins of the HSA library and the kernel driver: a
// victim is kept from ringing its doorbell, taken off the device, or kept to few compute units. The hardware prefers
// the urgent one's queue.
#include "system/hip_pair.h"

namespace xsched::test {
namespace {

class HsaDirect : public HipPair {
protected:
    void start_both(const Environment& more) {
        const std::string time = std::to_string(++started_);  // an earlier pair's boards say that it is to end
        low = start_program("low" + time, 0, more, {"-", kLowUs});
        low->work();
        ASSERT_TRUE(goes_on(*low)) << low->process().err();
        high = start_program("high" + time, 10, more, {"-", kHighUs});
        high->work();
        ASSERT_TRUE(goes_on(*high)) << high->process().err();
    }
    static bool goes_on(CudaProgram& program) {
        const uint64_t before = program.done();
        return eventually([&] { return program.done() > before; });
    }
    // Returns whether the victim's one queue comes to have this value.
    bool becomes(const char* field, bool value) {
        return eventually([&] {
            const Json queues = queues_of(low->pid());
            return queues.size() == 1 && queues[0].value(field, !value) == value;
        });
    }

private:
    int started_ = 0;
};

TEST_F(HsaDirect, AtLevel1TheVictimsDoorbellWaits) {
    start_both({{"XSCHED_INTERRUPT", "0"}});
    EXPECT_TRUE(becomes("suspended", true)) << queues_of(low->pid());
    EXPECT_TRUE(is_kept_off(*low, *high));
    high->rest();
    EXPECT_TRUE(goes_on(*low)) << low->process().err();
    end_both();
}

TEST_F(HsaDirect, AtLevel3WhatRunsIsTakenOff) {
    start_both({{"XSCHED_INTERRUPT", "1"}});
    EXPECT_TRUE(becomes("interrupted", true)) << queues_of(low->pid()) << low->process().err();
    high->rest();
    EXPECT_TRUE(goes_on(*low)) << low->process().err();
    end_both();
}

TEST_F(HsaDirect, ByMaskTheVictimGoesOnOnFewUnits) {
    start_both(few_units("mask"));
    ASSERT_TRUE(becomes("slowed", true)) << queues_of(low->pid()) << low->process().err();
    const uint64_t low_before = low->done(), high_before = high->done();
    ASSERT_TRUE(eventually([&] { return low->done() > low_before; })) << queues_of(low->pid());
    const double low_ms = static_cast<double>(low->done() - low_before) * 20;
    const double high_ms = static_cast<double>(high->done() - high_before) * 2;
    EXPECT_LT(low_ms, high_ms) << "more than its few units";
    high->rest();
    EXPECT_TRUE(becomes("slowed", false)) << queues_of(low->pid());
    end_both();
}

TEST_F(HsaDirect, ByMaskTheProgramsOwnUnitsArePutBack) {
    Environment masked = few_units("mask");
    masked["HSA_PROGRAM_MASK"] = "ffff";
    start_both(masked);
    ASSERT_TRUE(becomes("slowed", true)) << queues_of(low->pid()) << low->process().err();
    high->rest();
    ASSERT_TRUE(becomes("slowed", false)) << queues_of(low->pid());
    // When the urgent program rests, the low one has half of the compute units for itself, as its own mask says: a
    // kernel takes twice its 20 ms, and not eight times as while it was slowed.
    EXPECT_TRUE(eventually([&] {
        const uint64_t before = low->done();
        usleep(1'000'000);
        return low->done() - before >= 12;
    })) << "of 25 kernels in a second";
    end_both();
}

TEST_F(HsaDirect, TheHardwarePrefersTheUrgentQueue) {
    Environment more{{"XSCHED_INTERRUPT", "0"}, {"XLOG_LEVEL", "DEBG"}};
    start_both(more);
    EXPECT_TRUE(goes_on(*high));
    end_both();
    EXPECT_NE(high->process().err().find("gets the hardware's priority 2 (status 0)"), std::string::npos);
    EXPECT_EQ(low->process().err().find("gets the hardware's priority"), std::string::npos) << "it is as it was made";
    more["XSCHED_DEBUG"] = "hip_queue_priority=0";
    start_both(more);
    end_both();
    EXPECT_EQ(high->process().err().find("gets the hardware's priority"), std::string::npos);
}

}  // namespace
}  // namespace xsched::test
