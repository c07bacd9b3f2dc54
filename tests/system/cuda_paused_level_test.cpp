// A process with more channels than level 3 takes off at once, on the fake driver and kernel driver under the real
// xserver: what tools are told of it, and what becomes of it beside a more urgent program.
#include "system/rm_rig.h"

namespace xsched::test {
namespace {

// Checks the level in force, and the reason why it is lower than the queue's own, in the answers to tools. No other
// program competes, so only the tools ask.
class CudaPausedLevel : public CudaOnRm {
protected:
    struct Told {
        int64_t level = 0;
        std::string pauses;
    };
    Told listed() {
        const Json queues = queues_of(low->pid());
        return queues.size() != 1 ? Told{} : told(queues[0]);
    }
    Told explained() {
        const Json answer = answer_of_server(socket(), {{"cmd", "programs"}, {"pid", low->pid()}});
        const Json programs = answer.value("programs", Json::array());
        return programs.size() != 1 ? Told{} : told(programs[0]);
    }
    bool status_tells_of(const std::string& words) {
        const Json answer = answer_of_server(socket(), {{"cmd", "status"}, {"pid", low->pid()}});
        return answer.dump().find(words) != std::string::npos;
    }
    void expect_level_2() {
        for (const Told& told : {listed(), explained()}) {
            EXPECT_EQ(told.level, 2) << low->process().err();
            EXPECT_EQ(told.pauses.rfind("level 3 pauses: ", 0), 0u) << told.pauses;
            EXPECT_NE(told.pauses.find("at most 128 groups"), std::string::npos) << told.pauses;
        }
        EXPECT_TRUE(status_tells_of("level 3 pauses: "));
    }
    void expect_level_3() {
        for (const Told& told : {listed(), explained()}) {
            EXPECT_EQ(told.level, 3) << low->process().err();
            EXPECT_EQ(told.pauses, "");
        }
        EXPECT_FALSE(status_tells_of("level 3 pauses: "));
    }

    static constexpr uint32_t kTooMany = 128;  // with its own (ChannelSet::kMostGroups)

private:
    static Told told(const Json& entry) { return {entry.value("level", int64_t{0}), entry.value("level_pauses", "")}; }
};

TEST_F(CudaPausedLevel, IsToldForAsLongAsTheProcessHasTooManyChannels) {
    low = start_on_rm("low", 0, "100");
    low->work();
    ASSERT_TRUE(low->advances()) << low->process().err();
    expect_level_3();
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(low->has_contexts(kTooMany)) << low->process().err();
        expect_level_2();
        ASSERT_TRUE(low->has_contexts(kTooMany - 1)) << low->process().err();
        expect_level_3();
    }
    EXPECT_EQ(low->end(), 0) << low->process().err();
}

TEST_F(CudaPausedLevel, MakesRoomAllTheSame) {
    low = start_on_rm("low", 0, "100");
    high = start_on_rm("high", 10, "100");
    low->work();
    ASSERT_TRUE(low->advances()) << low->process().err();
    const auto low_rm = rm_of(low->pid());
    ASSERT_TRUE(low_rm->there());
    ASSERT_TRUE(low->has_contexts(kTooMany)) << low->process().err();
    high->work();
    EXPECT_TRUE(high->advances()) << high->process().err();
    EXPECT_TRUE(is_kept_off(*low, *high));
    EXPECT_EQ(low_rm->disabled(), 0u) << "a part of its channels would be of no use";
    high->rest();
    ASSERT_TRUE(low->has_contexts(0)) << low->process().err();
    high->work();
    EXPECT_TRUE(low_rm->becomes_disabled(true)) << "level 3 is back";
    for (CudaProgram* program : {high.get(), low.get()}) EXPECT_EQ(program->end(), 0) << program->process().err();
}

}  // namespace
}  // namespace xsched::test
