// Tests each command that tools may send to the server, and the answers to bad requests.
#include <optional>
#include <set>

#include "server/tools/describing.h"
#include "support/child.h"
#include "support/server_rig.h"

namespace xsched::test {
namespace {

class Tools : public WithServer {
protected:
    void SetUp() override {
        start_with(client, "program", 3, 0x51);
        client.add_queue(1, 3, 0x52);
        tool = std::make_unique<TestTool>(socket());
        ASSERT_TRUE(tool->accepted());
    }
    // Returns the sentence of the refusal; empty: the request was not refused.
    std::string refusal(const Json& request) {
        const Json answer = tool->ask(request);
        return answer.value("ok", true) ? "" : answer.value("error", "");
    }
    void expect_refusal(const Json& request, const std::string& part) {
        EXPECT_NE(refusal(request).find(part), std::string::npos) << request << " got: " << refusal(request);
    }

    TestClient client;
    std::unique_ptr<TestTool> tool;
};

TEST_F(Tools, ListShowsQueues) {
    client.submit(0);
    client.slot(0).submitted.fetch_add(2);  // two of them held back
    const Json answer = tool->ask({{"cmd", "list"}});
    ASSERT_EQ(answer["ok"], true);
    ASSERT_EQ(answer["queues"].size(), 2U) << answer;
    const Json& queue = answer["queues"][0];
    EXPECT_EQ(queue["pid"], getpid());
    EXPECT_EQ(queue["program"], "program");
    EXPECT_EQ(queue["queue"], 1);
    EXPECT_EQ(queue["device"], "CPU:1");
    EXPECT_EQ(queue["platform"], "opencl");
    EXPECT_EQ(queue["priority"], 3);
    EXPECT_EQ(queue["level"], 1);
    EXPECT_EQ(queue["state"], "runs");
    EXPECT_EQ(queue["pending"], 2);
    EXPECT_EQ(queue["in_flight"], 1);
    EXPECT_EQ(queue["completed"], 0);
    EXPECT_EQ(queue["suspended"], false);
    EXPECT_EQ(answer["queues"][1]["state"], "idle");
}

TEST_F(Tools, RecordTellsWhatHappenedSinceItWasAskedLast) {
    const Json begin = tool->ask({{"cmd", "record"}, {"queues", true}});
    ASSERT_EQ(begin["ok"], true) << begin;
    EXPECT_EQ(begin["entries"].size(), 0U);
    ASSERT_EQ(begin["queues"].size(), 2U);
    EXPECT_EQ(begin["queues"][1]["slot"], 1);
    EXPECT_EQ(begin["queues"][1]["handle"], 0x52);
    client.slot(1).priority = 7;
    client.slot(1).background = 1;
    const Json later = tool->ask({{"cmd", "record"}, {"queues", true}});
    EXPECT_EQ(later["queues"][1]["priority"], PRIORITY_MIN) << "as the scheduler counts a program in the background";
    client.submit(0);
    Json entries = Json::array();
    uint64_t next = begin["next"];
    ASSERT_TRUE(eventually([&] {
        const Json answer = tool->ask({{"cmd", "record"}, {"from", next}});
        next = answer["next"];
        for (const Json& entry : answer["entries"]) entries.push_back(entry);
        return !entries.empty();
    }));
    EXPECT_EQ(entries[0][0], client.slot(0).ready_since_ns.load());
    EXPECT_EQ(entries[0][1], 0);  // ready
    EXPECT_EQ(entries[0][3], 0);  // slot
    expect_refusal({{"cmd", "record"}, {"from", -1}}, "from");
}

TEST_F(Tools, StatusExplainsWhoIsSuspendedAndWhy) {
    TestClient high(socket(), "urgent");
    high.add_queue(0, 10, 0x61);
    client.submit(0);
    ASSERT_TRUE(eventually([&] { return tool->ask({{"cmd", "list"}})["queues"][0]["state"] == "runs"; }))
        << "only who has work is preempted";
    high.submit(0);
    ASSERT_TRUE(client.becomes_suspended(0, true));
    for (int i = 0; i < 20; ++i) {  // delays are counted now and then; the urgent one gets on meanwhile
        usleep(5000);
        high.slot(0).submitted.fetch_add(1);
        high.slot(0).completed.fetch_add(1);
    }
    high.slot(0).submitted.fetch_add(1);
    const Json list = tool->ask({{"cmd", "list"}});
    const Json& queue = list["queues"][0];
    EXPECT_EQ(queue["suspended"], true);
    EXPECT_EQ(queue["by_pid"], getpid());
    EXPECT_GE(queue["preemptions"], 1);
    EXPECT_GT(queue["held_ms"], 1.0);
    const Json everybody = tool->ask({{"cmd", "status"}});
    for (const Json& process : everybody["processes"])
        EXPECT_EQ(process["caused_ms"] > 1.0, process["program"] == "urgent") << process;
    EXPECT_GT(queue["since_ms"], 1.0);
    const std::string why = queue["explanation"];
    EXPECT_NE(why.find("held for"), std::string::npos) << why;
    EXPECT_NE(why.find("more urgent"), std::string::npos) << why;
    Json status;
    EXPECT_TRUE(eventually([&] {
        high.slot(0).submitted.fetch_add(1);  // on a busy machine it counts as idle by now
        status = tool->ask({{"cmd", "status"}, {"pid", getpid()}});
        return status["processes"][0]["state"] == "held";
    })) << status;
    ASSERT_EQ(status["processes"].size(), 2U) << "both clients are this process";
    EXPECT_EQ(status["processes"][1]["state"], "runs");
    expect_refusal({{"cmd", "status"}, {"pid", 1}}, "no process 1 is scheduled");
}

TEST(SharesAskedFor, AreRoundedToTheNearestPercent) {
    server::AskedFor asked;
    asked.shares[1] = 140;
    EXPECT_EQ(asked.worth_of(60, 1), 43) << "of 42.86";
    EXPECT_EQ(asked.worth_of(80, 1), 57) << "of 57.14";
    EXPECT_EQ(asked.worth_of(60, 2), 60) << "no more than 100 are asked for there";
}

TEST_F(Tools, SuspendAndResumeAProcess) {
    client.submit(0);
    EXPECT_EQ(refusal({{"cmd", "suspend"}, {"pid", getpid()}}), "");
    EXPECT_EQ(client.slot(0).suspended.load(), 1U) << "the answer comes after the deed";
    EXPECT_EQ(client.slot(1).suspended.load(), 1U);
    EXPECT_EQ(refusal({{"cmd", "resume"}, {"pid", getpid()}}), "");
    EXPECT_EQ(client.slot(0).suspended.load(), 0U);
    EXPECT_EQ(client.slot(1).suspended.load(), 0U);
}

TEST_F(Tools, SuspendAndResumeByHandle) {
    client.slot(1).priority = 4;  // another unit
    EXPECT_EQ(refusal({{"cmd", "suspend"}, {"queue", 0x51}}), "");
    EXPECT_EQ(client.slot(0).suspended.load(), 1U);
    EXPECT_EQ(client.slot(1).suspended.load(), 0U);
    const Json list = tool->ask({{"cmd", "list"}});
    EXPECT_NE(list["queues"][0]["reason"].get<std::string>().find("xcli suspend"), std::string::npos);
    EXPECT_EQ(refusal({{"cmd", "resume"}, {"queue", 0x51}}), "");
    EXPECT_EQ(client.slot(0).suspended.load(), 0U);
}

TEST_F(Tools, SuspendRefusals) {
    expect_refusal({{"cmd", "suspend"}}, "say what");
    expect_refusal({{"cmd", "suspend"}, {"queue", 0x99}}, "there is no queue 153");
    expect_refusal({{"cmd", "resume"}, {"pid", 1}}, "no process 1");
    expect_refusal({{"cmd", "suspend"}, {"pid", -4}}, "pid -4 is not a whole number from 1");
    expect_refusal({{"cmd", "suspend"}, {"pid", "x"}}, "pid \"x\"");
    expect_refusal({{"cmd", "suspend"}, {"queue", -1}}, "queue is not a queue's number");
    expect_refusal({{"cmd", "suspend"}, {"queue", Json::array()}}, "queue is not a queue's number");
}

TEST_F(Tools, HintsAQueue) {
    EXPECT_EQ(refusal({{"cmd", "hint"}, {"queue", 0x52}, {"priority", -7}, {"utilization", 30}, {"timeslice_us", 900}}),
              "");
    EXPECT_EQ(client.slot(1).priority.load(), -7);
    EXPECT_EQ(client.slot(1).utilization.load(), 30);
    EXPECT_EQ(client.slot(1).timeslice_us.load(), 900);
    EXPECT_EQ(client.slot(0).priority.load(), 3);
    EXPECT_EQ(client.header().default_hints.load(), 0U);
}

TEST_F(Tools, HintsAProcessAndItsLaterQueues) {
    const uint32_t before = client.header().directive.load();
    const Json answer = tool->ask({{"cmd", "hint"}, {"pid", getpid()}, {"priority", 200}});
    EXPECT_EQ(answer["queues"], 2) << answer;
    EXPECT_EQ(client.slot(0).priority.load(), 200);
    EXPECT_EQ(client.slot(1).priority.load(), 200);
    EXPECT_EQ(client.header().default_priority.load(), 200);
    EXPECT_EQ(client.header().default_hints.load() & 1U, 1U);
    EXPECT_NE(client.header().directive.load(), before);
}

TEST_F(Tools, PriorityHintTakesEffect) {
    client.submit(0);
    EXPECT_EQ(refusal({{"cmd", "hint"}, {"queue", 0x51}, {"priority", PRIORITY_NO_EXECUTE}}), "");
    EXPECT_EQ(client.slot(0).suspended.load(), 1U);
    EXPECT_EQ(refusal({{"cmd", "hint"}, {"queue", 0x51}, {"priority", 1}}), "");
    EXPECT_EQ(client.slot(0).suspended.load(), 0U);
}

TEST_F(Tools, ATimesliceAloneIsForAll) {
    EXPECT_EQ(tool->ask({{"cmd", "hint"}, {"timeslice_us", 2000}})["queues"], 2);
    EXPECT_EQ(client.slot(0).timeslice_us.load(), 2000);
    EXPECT_EQ(client.slot(1).timeslice_us.load(), 2000);
}

TEST_F(Tools, HintRefusals) {
    expect_refusal({{"cmd", "hint"}, {"queue", 0x51}}, "the hint is empty");
    expect_refusal({{"cmd", "hint"}, {"priority", 3}}, "say what it is for");
    expect_refusal({{"cmd", "hint"}, {"queue", 0x51}, {"priority", 256}},
                   "priority 256 is not a whole number from -256 to 255");
    expect_refusal({{"cmd", "hint"}, {"queue", 0x51}, {"priority", 1.5}}, "priority 1.5");
    expect_refusal({{"cmd", "hint"}, {"queue", 0x51}, {"priority", UINT64_MAX}}, "priority 18446744073709551615");
    expect_refusal({{"cmd", "hint"}, {"queue", 0x51}, {"utilization", 101}}, "utilization 101");
    expect_refusal({{"cmd", "hint"}, {"queue", 0x51}, {"timeslice_us", 99}}, "timeslice_us 99");
    EXPECT_EQ(client.slot(0).priority.load(), 3);
}

TEST_F(Tools, EqualHandlesNeedAPid) {
    std::optional<TestClient> others;
    const Sitter other([&] {
        others.emplace(socket(), "other");
        others->add_queue(0, 0, 0x51);
        return others->connected();
    });
    ASSERT_TRUE(other.ready());
    expect_refusal({{"cmd", "hint"}, {"queue", 0x51}, {"priority", 9}}, "say of which process (--pid PID)");
    EXPECT_EQ(refusal({{"cmd", "hint"}, {"queue", 0x51}, {"pid", getpid()}, {"priority", 9}}), "");
    EXPECT_EQ(client.slot(0).priority.load(), 9);
}

TEST_F(Tools, ConfiguresEachValueAlone) {
    EXPECT_EQ(refusal({{"cmd", "config"}, {"queue", 0x51}, {"threshold", 4}}), "");
    EXPECT_EQ(client.slot(0).want_threshold.load(), 4U);
    EXPECT_EQ(client.slot(0).want_batch_size.load(), 0U);
    EXPECT_EQ(client.slot(0).want_level.load(), 0U);
    EXPECT_EQ(client.slot(0).want_serial.load(), 1U);
    const uint32_t before = client.header().directive.load();
    EXPECT_EQ(refusal({{"cmd", "config"}, {"queue", 0x51}, {"level", 1}, {"batch_size", 2}}), "");
    EXPECT_EQ(client.slot(0).want_level.load(), 1U);
    EXPECT_EQ(client.slot(0).want_batch_size.load(), 2U);
    EXPECT_EQ(client.slot(0).want_serial.load(), 2U);
    EXPECT_NE(client.header().directive.load(), before);
    EXPECT_EQ(client.slot(1).want_serial.load(), 0U);
}

TEST_F(Tools, ConfigRefusals) {
    expect_refusal({{"cmd", "config"}, {"threshold", 4}}, "say what it is for");
    expect_refusal({{"cmd", "config"}, {"queue", 0x51}}, "nothing to configure");
    expect_refusal({{"cmd", "config"}, {"queue", 0x51}, {"level", 2}}, "has no preempt level 2");
    expect_refusal({{"cmd", "config"}, {"queue", 0x51}, {"level", 4}}, "level 4");
    expect_refusal({{"cmd", "config"}, {"queue", 0x51}, {"threshold", 0}}, "threshold 0");
    expect_refusal({{"cmd", "config"}, {"queue", 0x51}, {"threshold", 65536}}, "threshold 65536");
    expect_refusal({{"cmd", "config"}, {"queue", 0x51}, {"threshold", 2}, {"batch_size", 3}},
                   "larger than the threshold");
    expect_refusal({{"cmd", "config"}, {"queue", 0x77}, {"threshold", 2}}, "there is no queue 119");
    EXPECT_EQ(client.slot(0).want_serial.load(), 0U);
}

TEST_F(Tools, PolicyIsShownAndChanged) {
    const Json answer = tool->ask({{"cmd", "policy"}});
    EXPECT_EQ(answer["policy"], "HPF");
    ASSERT_GE(answer["policies"].size(), 1U);
    EXPECT_FALSE(answer["policies"][0]["summary"].get<std::string>().empty());
    EXPECT_EQ(tool->ask({{"cmd", "policy"}, {"name", "hpf"}})["policy"], "HPF");
    expect_refusal({{"cmd", "policy"}, {"name", "Best"}}, "there is no policy \"Best\": use one of");
    expect_refusal({{"cmd", "policy"}, {"name", 3}}, "name is not a text");
}

TEST_F(Tools, ServerDescribesItself) {
    const Json answer = tool->ask({{"cmd", "server"}});
    EXPECT_EQ(answer["pid"], server->pid());
    EXPECT_EQ(answer["clients"], 1);
    EXPECT_EQ(answer["socket"], socket());
    EXPECT_EQ(answer["scope"], "user");
}

// Orders that are given for a process before its first device call are in force from that call on.
TEST_F(Tools, OrdersForAProcessThatHasNotComeAreInForceOnceItDoes) {
    const int status = in_child([this] {
        TestTool own(socket());
        const Json hint = own.ask({{"cmd", "hint"}, {"pid", getpid()}, {"priority", 7}, {"share", 20}});
        if (hint.value("later", false) != true || hint.value("queues", 1) != 0) return 1;
        if (!own.ask({{"cmd", "config"}, {"pid", getpid()}, {"threshold", 6}}).value("later", false)) return 2;
        if (!own.ask({{"cmd", "suspend"}, {"pid", getpid()}}).value("later", false)) return 3;
        TestClient late;
        if (!late.connect(socket(), "late")) return 4;
        const ipc::Header& header = late.header();
        if (header.default_priority != 7 || header.default_share != 20 || header.default_threshold != 6) return 5;
        late.add_queue(0, 7, 0x61);
        late.submit(0);
        if (!late.becomes_suspended(0, true)) return 6;
        if (!own.ask({{"cmd", "resume"}, {"pid", getpid()}}).value("ok", false)) return 7;
        return late.becomes_suspended(0, false) ? 0 : 8;
    });
    EXPECT_EQ(status, 0);
    expect_refusal({{"cmd", "hint"}, {"pid", 4194999}, {"priority", 1}}, "no process 4194999 is scheduled");
}

TEST_F(Tools, AHintThatThePolicyDoesNotReadIsNamed) {
    const Json answer = tool->ask({{"cmd", "hint"}, {"queue", 0x51}, {"priority", 1}, {"share", 20}});
    ASSERT_EQ(answer["unused"].size(), 1U) << answer;
    EXPECT_EQ(answer["unused"][0]["hint"], "share");
    EXPECT_EQ(answer["unused"][0]["used_by"], (Json{"PUP", "SPUP"}));
}

TEST_F(Tools, AQueueIsNamedByItsNumber) {
    EXPECT_EQ(refusal({{"cmd", "hint"}, {"queue", 2}, {"pid", getpid()}, {"priority", 5}}), "");
    EXPECT_EQ(client.slot(1).priority.load(), 5);
    expect_refusal({{"cmd", "hint"}, {"queue", 99}, {"pid", getpid()}, {"priority", 5}}, "there is no queue 99");
}

TEST_F(Tools, NonsenseIsAnswered) {
    for (const char* text : {"{", "[]", "null", "17", "{}", "{\"cmd\":3}", "{\"cmd\":\"dance\"}", "\xff\xfe\x01",
                             "{\"cmd\":\"policy\",\"name\":\"\xff\"}"}) {
        const Json answer = tool->ask_text(text);
        EXPECT_EQ(answer.value("ok", true), false) << text;
        EXPECT_FALSE(answer.value("error", "").empty()) << text;
    }
    const Json deep = tool->ask_text(std::string(60'000, '['));
    EXPECT_EQ(deep.value("ok", true), false);
    EXPECT_EQ(client_count(), 1);
}

TEST_F(Tools, TooLongRequestIsAnswered) {
    const Json answer = tool->ask_text(std::string(ipc::kMostPacketBytes + 1, ' '));
    EXPECT_EQ(answer.value("ok", true), false);
    EXPECT_EQ(tool->ask({{"cmd", "server"}})["ok"], true) << "the connection goes on";
}

TEST_F(Tools, LongAnswersComeInPages) {
    for (unsigned i = 2; i < ipc::kMostQueues; ++i) client.add_queue(i, 0, 0x1000 + i);
    std::set<uint64_t> handles;
    Json request{{"cmd", "list"}};
    for (int pages = 1;; ++pages) {
        const Json answer = tool->ask(request);
        ASSERT_EQ(answer.value("ok", false), true);
        EXPECT_GT(answer.dump().size(), size_t{ipc::kMostPacketBytes}) << "longer than a packet, and whole";
        ASSERT_LE(answer["queues"].size(), 256U);
        for (const Json& queue : answer["queues"]) EXPECT_TRUE(handles.insert(queue["queue"].get<uint64_t>()).second);
        if (!answer.contains("next")) {
            EXPECT_EQ(pages, 4);
            break;
        }
        request["cursor"] = answer["next"];
    }
    EXPECT_EQ(handles.size(), ipc::kMostQueues);
    expect_refusal({{"cmd", "list"}, {"cursor", -1}}, "cursor -1");
}

TEST_F(Tools, StatusOfManyProcessesComesInPages) {
    for (unsigned i = 2; i < 200; ++i) client.add_queue(i, 0, 0x1000 + i);
    TestClient second(socket(), "second");
    for (unsigned i = 0; i < 200; ++i) second.add_queue(i, 0, 0x2000 + i);
    const Json first = tool->ask({{"cmd", "status"}});
    ASSERT_EQ(first["processes"].size(), 1U) << first;
    EXPECT_EQ(first["processes"][0]["queues"], 200);
    const Json rest = tool->ask({{"cmd", "status"}, {"cursor", first["next"]}});
    ASSERT_EQ(rest["processes"].size(), 1U) << rest;
    EXPECT_EQ(rest["processes"][0]["program"], "second");
    EXPECT_FALSE(rest.contains("next"));
}

TEST_F(Tools, AToolThatDoesNotReadIsDropped) {
    const base::UniqueFd deaf(ipc::connect_path(socket().c_str()));
    ipc::Welcome welcome{};
    ASSERT_TRUE(ipc::shake_hands(deaf.get(), ipc::PeerKind::kTool, "deaf", &welcome, nullptr, kPatienceMs));
    const std::string request = R"({"cmd":"list"})";
    const bool dropped = eventually([&] {
        while (ipc::send_packet(deaf.get(), request.data(), request.size())) {
        }
        return errno == EPIPE || errno == ECONNRESET;
    });
    EXPECT_TRUE(dropped);
    EXPECT_EQ(client_count(), 1);
}

TEST(Shares, AreMissedByMoreThanOneOfThePercentsThatAreShown) {
    EXPECT_FALSE(server::falls_short(62, 60));
    EXPECT_FALSE(server::falls_short(58.6, 60)) << "shown as 59";
    EXPECT_TRUE(server::falls_short(58.4, 60)) << "shown as 58";
}

}  // namespace
}  // namespace xsched::test
