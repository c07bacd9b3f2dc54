// Tests of the flight recorder (the server's journal of the last minutes): what a tool can read from it, and what a
// tool of another user cannot.
#include <thread>

#include "base/clock.h"
#include "ipc/journal_kind.h"
#include "support/eventually.h"
#include "support/server_rig.h"

namespace xsched::test {
namespace {

using ipc::JournalKind;

Json ask_last(TestTool& tool, int64_t ms) {
    return tool.ask({{"cmd", "record"}, {"last_ms", ms}, {"all", true}, {"queues", true}});
}

size_t count_of(const Json& answer, JournalKind kind) {
    size_t count = 0;
    for (const Json& row : answer["entries"]) count += row[1] == static_cast<int>(kind) ? 1 : 0;
    return count;
}

TEST(FlightRecorder, HasWhatWasBeforeAnybodyAsked) {
    PrivateDirectory directory;
    ServerProcess server(directory);
    ASSERT_TRUE(server.ready());
    LowAndHigh both(directory.socket());
    ASSERT_TRUE(both.connected());
    ASSERT_TRUE(both.compete());
    TestTool tool(directory.socket());
    const Json answer = ask_last(tool, 30'000);
    ASSERT_EQ(answer["ok"], true) << answer;
    EXPECT_EQ(count_of(answer, JournalKind::kCame), 2U) << answer;
    EXPECT_EQ(count_of(answer, JournalKind::kReady), 2U);
    EXPECT_EQ(count_of(answer, JournalKind::kSuspended), 1U);
    EXPECT_EQ(answer["complete"], true);
    EXPECT_EQ(answer["lost"], 0);
    EXPECT_EQ(answer["left_out"], 0);
    EXPECT_EQ(answer["queues"].size(), 2U);
    const size_t low = answer["queues"][0]["suspended"] == true ? 0 : 1;  // whichever was served first
    if (XSCHED_SLOWER == 1) {  // a sanitized server may answer in a turn against starvation
        EXPECT_EQ(answer["queues"][low]["suspended"], true);
        EXPECT_EQ(answer["queues"][low]["by_client"], answer["queues"][1 - low]["client"]);
    }
    EXPECT_EQ(answer["programs"].size(), 2U);
    EXPECT_EQ(answer["devices"][0][1], "CPU:1");
}

TEST(FlightRecorder, NamesWhoLeft) {
    PrivateDirectory directory;
    ServerProcess server(directory);
    ASSERT_TRUE(server.ready());
    {
        TestClient client(directory.socket(), "shortlived");
        client.add_queue(0, 0, 0x1);
        client.submit(0);
        TestTool tool(directory.socket());
        ASSERT_TRUE(eventually([&] { return count_of(ask_last(tool, 1000), JournalKind::kCame) == 1; }));
    }
    TestTool tool(directory.socket());
    Json answer;
    ASSERT_TRUE(eventually([&] {
        answer = ask_last(tool, 30'000);
        return count_of(answer, JournalKind::kGone) == 1;
    })) << answer;
    EXPECT_EQ(answer["queues"].size(), 0U);
    ASSERT_EQ(answer["programs"].size(), 1U);
    EXPECT_EQ(answer["programs"][0][2], "shortlived");
    EXPECT_EQ(answer["programs"][0][1], getpid());
}

TEST(FlightRecorder, CanBeLeftOut) {
    PrivateDirectory directory;
    ServerProcess server(directory, {"--no-flight-recorder"});
    ASSERT_TRUE(server.ready());
    TestTool tool(directory.socket());
    const Json answer = ask_last(tool, 30'000);
    EXPECT_EQ(answer["ok"], false);
    EXPECT_EQ(answer["kind"], "refused");
    EXPECT_NE(answer.value("error", "").find("xcli trace -t"), std::string::npos) << answer;
    EXPECT_EQ(tool.ask({{"cmd", "record"}, {"all", true}})["ok"], true);  // from now on
}

TEST(FlightRecorder, BadTimesAreRefused) {
    PrivateDirectory directory;
    ServerProcess server(directory);
    ASSERT_TRUE(server.ready());
    TestTool tool(directory.socket());
    for (const Json& bad : {Json(0), Json(-5), Json("x"), Json(1e300), Json(INT64_MAX)})
        EXPECT_EQ(tool.ask({{"cmd", "record"}, {"last_ms", bad}})["kind"], "usage") << bad;
    EXPECT_EQ(tool.ask({{"cmd", "record"}, {"from", INT64_MAX}, {"all", true}})["ok"], true);
}

// A long recording comes in parts: no answer is larger than a limit, however much there is.
TEST(FlightRecorder, ComesInParts) {
    constexpr unsigned kMany = 700;
    constexpr size_t kMostInPart = 2048;
    PrivateDirectory directory;
    ServerProcess server(directory);
    ASSERT_TRUE(server.ready());
    LowAndHigh both(directory.socket());
    ASSERT_TRUE(both.connected());
    for (unsigned at = 1; at < kMany; ++at) both.low.add_queue(at, 0, 0x100 + at);
    for (unsigned at = 0; at < kMany; ++at) both.low.submit(at);
    both.high.submit(0);
    TestTool tool(directory.socket());
    for (unsigned at = 0; at < kMany; ++at) ASSERT_TRUE(both.low.becomes_suspended(at, true)) << at;
    Json answer = ask_last(tool, 60'000);
    EXPECT_EQ(answer["entries"].size(), kMostInPart);
    EXPECT_EQ(answer["more"], true);
    size_t suspended = 0;
    while (true) {
        suspended += count_of(answer, JournalKind::kSuspended);
        if (!answer["more"].get<bool>()) break;
        answer = tool.ask({{"cmd", "record"}, {"from", answer["next"]}, {"all", true}});
        ASSERT_LE(answer["entries"].size(), kMostInPart);
    }
    EXPECT_GE(suspended, kMany);
}

TEST(FlightRecorder, NobodyIsToldOfAnothersPrograms) {
    NEEDS_ROOT("to become another user");
    PrivateDirectory directory;
    chmod(directory.path().c_str(), 0755);
    ServerProcess server(directory, {"--system"});
    ASSERT_TRUE(server.ready());
    const std::string path = directory.socket();
    TestClient urgent(path, "secret");
    ASSERT_TRUE(urgent.connected());
    urgent.add_queue(0, 10, 0x5ec2e7);
    urgent.submit(0);
    {
        TestClient gone(path, "secretgone");
        gone.add_queue(0, 0, 0x5ec2e8);
        gone.submit(0);
        ASSERT_TRUE(gone.becomes_suspended(0, true));
    }
    const uint32_t hidden = urgent.header().client_id;
    const int status = as_nobody([&] {
        TestClient mine(path, "mine");
        if (!mine.is_held(0x22)) return 1;
        TestTool tool(path);
        const Json answer = ask_last(tool, 30'000);
        if (!answer.value("ok", false) || count_of(answer, JournalKind::kSuspended) != 1) return 3;
        for (const Json& row : answer["entries"]) {
            if (row[2] == hidden || row[5] == hidden) return 4;
            if (row[1] == static_cast<int>(JournalKind::kSuspended) && row[5] != UINT32_MAX) return 5;
        }
        if (answer.dump().find("secret") != std::string::npos) return 6;
        if (answer["queues"].size() != 1 || answer["queues"][0]["by_client"] != UINT32_MAX) return 7;
        return answer["programs"].size() == 1 ? 0 : 8;
    });
    EXPECT_EQ(status, 0);
    TestTool tool(path);
    EXPECT_NE(ask_last(tool, 30'000).dump().find("secretgone"), std::string::npos);
}

}  // namespace
}  // namespace xsched::test
