// A victim that keeps few compute units (XSCHED_HIP_INTERRUPT=mask), two programs under the real server on the stand-in
// whose kernels run side by side: the victim goes on, slowly, the urgent one loses little, and people are told.
#include "system/hip_pair.h"

namespace xsched::test {
namespace {

class HipMasks : public HipPair {
protected:
    void start_both_by(const char* way) {
        low = start_program("low", 0, few_units(way), {"-", kLowUs});
        low->work();
        ASSERT_TRUE(eventually([&] { return low->done() > 2; })) << low->process().err();
        high = start_program("high", 10, few_units(way), {"-", kHighUs});
        high->work();
        ASSERT_TRUE(eventually([&] { return high->done() > 0; })) << high->process().err();
    }
    Json low_queue() {
        const Json queues = queues_of(low->pid());
        return queues.empty() ? Json::object() : queues[0];
    }
    // Returns the server's answer about low's queue once it says that low is slowed. On a loaded machine the urgent
    // program rests now and then, and low has all of the device meanwhile.
    Json low_queue_once_slowed() {
        Json queue;
        EXPECT_TRUE(eventually([&] {
            queue = low_queue();
            const bool told = queue.value("explanation", "").find("kept to few compute units") != std::string::npos;
            return queue.value("slowed", false) && queue.value("mechanism", "") == "slowed" && told;
        })) << queue;
        return queue;
    }
};

TEST_F(HipMasks, AVictimGoesOnOnFewUnits) {
    start_both_by("mask");
    const Json queue = low_queue_once_slowed();
    EXPECT_TRUE(queue.value("suspended", false)) << queue;
    EXPECT_FALSE(queue.value("interrupted", true)) << queue;
    EXPECT_NE(queue.value("explanation", "").find("kept to few compute units, where it goes on"), std::string::npos)
        << queue;
    // The slowed program makes progress with new launches too, and is not taken for stopped.
    const uint64_t before = low->done();
    EXPECT_TRUE(eventually([&] { return low->done() > before + 2; })) << low_queue() << low->process().err();
    low_queue_once_slowed();
    high->rest();
    EXPECT_TRUE(eventually([&] { return !low_queue().value("slowed", true); })) << low_queue();
    end_both();
}

// Kernels of the two programs run beside each other: the victim has an eighth of the device instead of half of it
// natively.
TEST_F(HipMasks, TheUrgentProgramHasNearlyAllOfTheDevice) {
    start_both_by("mask");
    low_queue_once_slowed();
    EXPECT_TRUE(eventually([&] {  // unless the urgent one's own process gets no processor meanwhile
        const uint64_t low_before = low->done(), high_before = high->done();
        EXPECT_TRUE(eventually([&] { return high->done() > high_before + 60; })) << high->process().err();
        return 3 * (low->done() - low_before) * 20 < (high->done() - high_before) * 2;
    })) << "more than its few units";
    end_both();
}

// A program that a person suspends is stopped, not only slowed by a mask of few compute units.
TEST_F(HipMasks, APersonsSuspensionStopsIt) {
    low = start_program("low", 0, few_units("mask"), {"-", "5000"});
    low->work();
    ASSERT_TRUE(eventually([&] { return low->done() > 2; })) << low->process().err();
    TestTool tool(socket());
    ASSERT_TRUE(tool.accepted());
    ASSERT_TRUE(tool.ask({{"cmd", "suspend"}, {"pid", low->pid()}}).value("ok", false));
    EXPECT_TRUE(eventually([&] {
        const uint64_t before = low->done();
        usleep(300'000);
        return low->done() == before;
    })) << low_queue();
    ASSERT_TRUE(tool.ask({{"cmd", "resume"}, {"pid", low->pid()}}).value("ok", false));
    const uint64_t before = low->done();
    EXPECT_TRUE(eventually([&] { return low->done() > before + 2; })) << low_queue();
    EXPECT_EQ(low->end(), 0) << low->process().err();
}

}  // namespace
}  // namespace xsched::test
