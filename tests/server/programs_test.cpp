// The command "programs": what each asked for and got, and by whom it was held in the last minute.
#include "base/clock.h"
#include "support/trainer_and_urgent.h"

namespace xsched::test {
namespace {

class Programs : public TrainerAndUrgent<WithServer> {
protected:
    Json program(const char* name, bool buckets = false) {
        TestTool tool(socket());
        const Json answer = tool.ask({{"cmd", "programs"}, {"buckets", buckets}});
        for (const Json& one : answer.value("programs", Json::array()))
            if (one.value("program", "") == name) return one;
        return {};
    }
};

TEST_F(Programs, TellWhatTheyAskedFor) {
    victim.slot(0).share = 40;
    victim.slot(0).limit = 60;
    const Json one = program("trainer");
    EXPECT_EQ(one["pid"], getpid());
    EXPECT_EQ(one["queues"], 1);
    EXPECT_EQ(one["priority"], 0);
    EXPECT_EQ(one["share"], 40);
    EXPECT_EQ(one["limit"], 60);
    EXPECT_EQ(one["level"], 1);
    EXPECT_EQ(one["best_level"], 1);
    EXPECT_EQ(one["state"], "runs");
    EXPECT_EQ(one["devices"][0]["device"], "CPU:1");
    EXPECT_EQ(one["held"][0]["holds"], 0);
    EXPECT_EQ(program("urgent")["state"], "idle");
}

TEST_F(Programs, AClaimIsLostUntilACommandCompletes) {
    ASSERT_NO_FATAL_FAILURE(begin_burst());
    const auto lost = [&] { return program("urgent").value("lost_claim", false); };
    ASSERT_TRUE(eventually([&] { return lost(); }));
    urgent.complete(0);
    urgent.submit(0);
    EXPECT_TRUE(eventually([&] { return !lost(); }));
}

TEST_F(Programs, WorkWhoseEndIsPresumedIsNoWork) {
    urgent.slot(0).unreported = 1;  // so no report of the first command will come
    ASSERT_NO_FATAL_FAILURE(begin_burst());
    ASSERT_TRUE(victim.becomes_suspended(0, false));
    EXPECT_TRUE(eventually([&] { return program("urgent")["state"] == "idle"; }));
    TestTool tool(socket());
    const Json queues = tool.ask({{"cmd", "list"}})["queues"];
    ASSERT_EQ(queues.size(), 2U);
    for (const Json& queue : queues)
        EXPECT_EQ(queue["explanation"] == "has no work", queue["program"] == "urgent") << queue;
}

TEST_F(Programs, HoldsAreTheCausesAndTheirVictims) {
    for (int i = 0; i < 3; ++i) burst(20);
    Json held;
    ASSERT_TRUE(eventually([&] {
        held = program("trainer")["held"][2];
        return held.value("holds", 0) >= 3;
    })) << held;
    EXPECT_EQ(held["seconds"], 60);
    EXPECT_GE(held["ms"], 60.0);
    EXPECT_GE(held["longest_ms"], 20.0);
    ASSERT_FALSE(held["by"].empty());
    const Json& by = held["by"][0];
    EXPECT_EQ(by["program"], "urgent");
    EXPECT_EQ(by["priority"], 10);
    EXPECT_EQ(by["pid"], getpid());
    EXPECT_EQ(by["mechanism"], "hold");
    EXPECT_EQ(by["itself"], false);
    EXPECT_EQ(by["reason"].get<std::string>().find("less_urgent") == 0 || by["reason"] == "anticipation", true) << by;
    EXPECT_GE(program("trainer")["held_ms"], held["ms"]);
    EXPECT_GE(program("trainer")["holds"], 3);
    const Json cost = program("urgent")["cost"][2];
    ASSERT_EQ(cost["victims"].size(), 1U) << cost;
    EXPECT_EQ(cost["victims"][0]["program"], "trainer");
    EXPECT_GE(cost["victims"][0]["ms"], 60.0);
    EXPECT_EQ(program("trainer")["cost"][2]["victims"].size(), 0U);
    EXPECT_TRUE(program("trainer")["kept_off"].is_null()) << "both are of one process, and no rivals";
}

TEST_F(Programs, QueuesThatAreHeldSideBySideCountOnce) {
    for (unsigned i = 1; i < 8; ++i) {
        victim.add_queue(i, 0, 0xac0 + i);
        victim.submit(i);
    }
    const int64_t began = base::now_ns();
    burst(50);
    const double ms = static_cast<double>(base::now_ns() - began) / base::kMillisecond;
    Json held;
    ASSERT_TRUE(eventually([&] {
        held = program("trainer")["held"][2];
        return held.value("holds", 0) > 0;
    }));
    EXPECT_LE(held["ms"], ms);
    EXPECT_LE(held["holds"], 4) << "of 8 queues; a busy machine may see them begin at different times";
}

TEST_F(Programs, BurstsAreToldJoinedToRequestsAsWell) {
    burst(5);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // a request is known to be over when another begins
    burst(5);
    Json one;
    EXPECT_TRUE(eventually([&] {
        one = program("urgent");
        return one["request_lengths"].value("count", 0) == 1;
    })) << one;
    EXPECT_GE(one["request_lengths"]["p50_ms"], 4.5);
}

TEST_F(Programs, HistogramsComeWithTheirBucketsIfAsked) {
    burst(5);
    Json one;
    ASSERT_TRUE(eventually([&] {
        one = program("urgent", true);
        return one["bursts"].value("count", 0) == 1;
    })) << one;
    EXPECT_GE(one["bursts"]["p50_ms"], 4.5);
    EXPECT_EQ(one["bursts"]["buckets"].size(), 1U);
    EXPECT_EQ(one["bursts"]["buckets"][0][1], 1);
    EXPECT_FALSE(program("urgent")["bursts"].contains("buckets"));
    one = program("trainer");
    EXPECT_GE(one["hold_lengths"]["count"], 1);
    EXPECT_GE(one["preempted_by"]["hold"], 1);
}

TEST_F(Programs, ThoseThatLeftAreNamedForAWhile) {
    burst(5);
    ASSERT_TRUE(eventually([&] { return program("trainer")["held"][2].value("holds", 0) > 0; }));
    urgent.hang_up();
    ASSERT_TRUE(eventually([&] { return client_count() == 1; }));
    EXPECT_EQ(program("trainer")["held"][2]["by"][0]["program"], "urgent");
}

TEST_F(Programs, VictimsThatLeftWereKeptOffByTheSameMechanism) {
    burst(5);
    const auto victims = [&] { return program("urgent")["cost"][2]["victims"]; };
    ASSERT_TRUE(eventually([&] { return victims().size() == 1; }));
    ASSERT_EQ(victims()[0]["mechanism"], "hold");
    victim.hang_up();
    ASSERT_TRUE(eventually([&] { return client_count() == 1; }));
    ASSERT_EQ(victims().size(), 1U);
    EXPECT_EQ(victims()[0]["mechanism"], "hold");
}

TEST_F(Programs, OneAloneByItsNumber) {
    TestTool tool(socket());
    EXPECT_EQ(tool.ask({{"cmd", "programs"}, {"pid", getpid()}})["programs"].size(), 2U);
    EXPECT_EQ(tool.ask({{"cmd", "programs"}, {"pid", 1}})["ok"], false);
    EXPECT_EQ(tool.ask({{"cmd", "programs"}, {"cursor", 1U << 30}})["programs"].size(), 0U);
}

}  // namespace
}  // namespace xsched::test
