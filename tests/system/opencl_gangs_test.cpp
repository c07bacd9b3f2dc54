// A gang's members on two halves of one device (clCreateSubDevices) run and stop together, on whatever OpenCL device
// there is (PoCL).
#include <map>

#include "system/gang_rig.h"

namespace xsched::test {
namespace {

class OpenclGangs : public WithGang {
protected:
    void SetUp() override {
        WithGang::SetUp();
        constexpr int kNoHalves = 77;
        const int status = start_program("probe", 0, {{"CUDA_PROGRAM_DEVICES", "0"}})->end();
        if (status == kNoHalves) GTEST_SKIP() << "this device cannot be divided into halves";
        ASSERT_EQ(status, 0);
        start_members();
    }
};

TEST_F(OpenclGangs, HalvesOfADeviceStandAndGoOnTogether) {
    const auto urgent = start_on("urgent", 10, "1");
    ASSERT_TRUE(urgent->advances()) << urgent->process().err();
    EXPECT_TRUE(both_make_room_for(*urgent)) << first->process().err() << second->process().err();
    urgent->rest();
    EXPECT_TRUE(first->advances()) << first->process().err();
    EXPECT_TRUE(second->advances()) << second->process().err();
    end({first.get(), second.get(), urgent.get()});
}

// A program that takes turns with one of them takes turns with both: under a policy that gives each program its own, a
// member would have the device while the other is suspended.
TEST_F(OpenclGangs, TheirTurnIsOne) {
    TestTool tool(socket());
    ASSERT_TRUE(tool.accepted());
    EXPECT_EQ(tool.ask({{"cmd", "policy"}, {"name", "CFS"}}).value("policy", ""), "CFS");
    const auto other = start_on("other", 0, "0");
    ASSERT_TRUE(other->advances()) << other->process().err();
    int parted = 0, looked = 0;
    EXPECT_TRUE(eventually([&] {
        std::map<pid_t, bool> suspended;
        const Json answer = tool.ask({{"cmd", "list"}});
        for (const Json& queue : answer["queues"]) suspended[queue.value("pid", 0)] = queue.value("suspended", false);
        parted += suspended[first->pid()] != suspended[second->pid()] ? 1 : 0;
        return ++looked == 200;
    }));
    // An answer may be of a moment in which one of them is being written to, more often on a busy machine. If each had
    // turns of its own, two of three answers would be so.
    EXPECT_LT(parted, looked / 3);
    EXPECT_TRUE(first->advances()) << first->process().err();
    EXPECT_TRUE(second->advances()) << second->process().err();
    EXPECT_TRUE(other->advances()) << other->process().err();
    end({first.get(), second.get(), other.get()});
}

}  // namespace
}  // namespace xsched::test
