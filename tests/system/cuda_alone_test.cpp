// The share that a program is told to have while it is alone on its device, on the fake driver under the real xserver:
// no thread follows it.
#include <algorithm>

#include "system/cuda_rig.h"

namespace xsched::test {
namespace {

class CudaAlone : public CudaProcesses {
protected:
    // Returns the device time of the last second, as xcli list has it; below 0: not yet.
    double got() {
        const Json queues = queues_of(low->pid());
        const Json told = queues.empty() ? Json() : queues[0].value("got_percent", Json::array())[0];
        return told.is_number() ? told.get<double>() : -1;
    }
    // Returns the largest number that several looks find.
    double most(int looks) {
        double most = -1;
        for (; looks > 0; --looks) {
            usleep(kLookUs);
            most = std::max(most, got());
        }
        return most;
    }
    bool is_followed() {
        const Json answer = answer_of_server(socket(), {{"cmd", "programs"}, {"pid", low->pid()}});
        const Json programs = answer.value("programs", Json::array());
        return !programs.empty() && programs[0].value("followed", false);
    }
    void start(Environment more = {}, const char* kernel_us = "2000") {
        more["XSCHED_AUTO_XQUEUE_LEVEL"] = "2";
        low = start_program("low", 0, std::move(more), {"-", kernel_us});
        low->work();
        ASSERT_TRUE(eventually([&] { return low->done() > 0; })) << low->process().err();
    }

    static constexpr useconds_t kLookUs = 300'000;
    static constexpr double kMost = 100.01;
    static constexpr double kBusy = 60;  // a program without a pause, on a machine whose processors others use as well
};

TEST_F(CudaAlone, ABusyProgramHasItsDevice) {
    start();
    EXPECT_TRUE(eventually([&] { return got() > kBusy; })) << got();
    EXPECT_LE(most(10), kMost);
    EXPECT_FALSE(is_followed()) << "it costs nothing";
    EXPECT_EQ(low->end(), 0) << low->process().err();
}

// A program alone on the device pauses three times as long as it works. The length of its work is measured here and
// now, so a busy machine changes nothing.
TEST_F(CudaAlone, PausesAreNotItsDevices) {
    start();
    ASSERT_TRUE(eventually([&] { return low->done() > 80; }));
    const uint64_t before = low->done();
    sleep(1);
    const uint64_t each_us = 1'000'000 * 8 / std::max<uint64_t>(low->done() - before, 1);  // a batch has 8
    low->pause(1, static_cast<uint32_t>(3 * each_us));
    EXPECT_TRUE(eventually([&] { return got() > 5 && got() < 40; })) << got();
    EXPECT_FALSE(is_followed());
    low->rest();
    EXPECT_TRUE(eventually([&] { return got() >= 0 && got() < 1; })) << got();
    EXPECT_EQ(low->end(), 0) << low->process().err();
}

TEST_F(CudaAlone, OneThatPollsMemoryIsFollowedAfterAWhile) {
    start({{"CUDA_PROGRAM_POLLS", "1"}});
    EXPECT_TRUE(eventually([&] { return is_followed(); }));
    EXPECT_TRUE(eventually([&] { return got() > kBusy; })) << got();
    EXPECT_LE(most(10), kMost);
    EXPECT_EQ(low->end(), 0) << low->process().err();
}

}  // namespace
}  // namespace xsched::test
