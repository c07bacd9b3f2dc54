// xcli admit with the real xcli, xserver and xsim: verdicts, exit statuses and the score.
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "cli/cli_rig.h"

namespace xsched::test {
namespace {

class Admit : public WithCli {
protected:
    // Writes a file of programs: "serve", of which requests of 1 ms every 10 ms are known, beside a trainer.
    std::string file() {
        const std::vector<double> request(9, 1000), rest(9, 9000);
        return file({{"endless", false}, {"request_us", request}, {"rest_us", rest}, {"command_us", request}});
    }
    std::string file(const Json& work) {
        const std::vector<double> command(9, 5000);
        const Json all{{"policy", "HPF"},
                       {"programs",
                        {{{"program", "train"},
                          {"pid", 7},
                          {"level", 3},
                          {"work", {{"endless", true}, {"command_us", command}}}}}},
                       {"known", {{{"program", "serve"}, {"work", work}}}}};
        const std::string path = directory.path() + "/programs.json";
        std::ofstream(path) << all.dump();
        return path;
    }
    Outcome check(const std::string& target, const std::string& priority) {
        return xcli({"admit", "--json", "--programs", file(), "--slo-p99", target, "-p", priority, "--", "./serve"});
    }
    static void request(TestClient& client) {
        client.submit(0);
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
        client.complete(0);
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    bool has_simulator() const { return access(binary("xsim").c_str(), X_OK) == 0; }
};

TEST_F(Admit, TheSimulatorDecides) {
    if (!has_simulator()) GTEST_SKIP() << "there is no xsim";
    const Outcome good = check("3ms", "10");
    EXPECT_EQ(good.status, 0) << good.out << good.err;
    EXPECT_EQ(good.json()["verdict"], "admitted") << good.out;
    EXPECT_EQ(good.json()["predictions"][0]["target_us"], 3000);
    const Outcome equal = check("1.1ms", "0");
    EXPECT_EQ(equal.status, 5) << "it would take turns with the trainer: " << equal.out << equal.err;
    EXPECT_EQ(equal.json()["verdict"], "refused");
}

// Requests come at random. One in 50 consists of two bursts, and the device has to switch to the program for each.
TEST_F(Admit, EachBurstOfARequestPaysASwitch) {
    if (!has_simulator()) GTEST_SKIP() << "there is no xsim";
    Json work{{"endless", false},
              {"request_us", std::vector<int>(9, 2000)},
              {"rest_us", {1000, 5000, 10000, 20000, 40000, 60000, 80000, 99000, 99000}},
              {"burst_count", std::vector<int>(9, 1)},
              {"pauses_us", std::vector<int>(9, 0)},
              {"command_us", std::vector<int>(9, 2000)}};
    const auto p99_us = [&] {
        const Outcome outcome =
            xcli({"admit", "--json", "--programs", file(work), "--slo-p99", "9ms", "-p", "10", "--", "./serve"});
        return outcome.json()["predictions"][0]["p99_us"].get<double>();
    };
    const double one_us = p99_us();
    work["burst_count"][7] = work["burst_count"][8] = 2;
    work["pauses_us"][7] = work["pauses_us"][8] = 900;
    EXPECT_GT(p99_us(), one_us + 100);
}

// The recording is what xsim records of a simulated program.
TEST_F(Admit, ARecordingTellsTheWorkOfAProgram) {
    if (!has_simulator()) GTEST_SKIP() << "there is no xsim";
    const std::string workload = directory.path() + "/serve.toml";
    const std::string recording = directory.path() + "/serve.rec";
    std::ofstream(workload) << "duration_s = 4\n[[program]]\nname = 'recorded'\n"
                               "arrival = { kind = 'closed', think_ms = 9 }\nburst = { kernel_us = 1000 }\n";
    ASSERT_EQ(run_to_end({binary("xsim"), "run", "--policy", "OBSERVE", "--record", recording, workload}, {}).status,
              0);
    const auto asked = [&](const std::string& target, const std::string& program) {
        return xcli({"admit", "--json", "--programs", file(), "--recording", recording, "--slo-p99", target, "-p", "10",
                     "--", program});
    };
    const Outcome good = asked("3ms", "./recorded");
    EXPECT_EQ(good.status, 0) << good.out << good.err;
    EXPECT_EQ(good.json()["verdict"], "admitted") << good.out;
    EXPECT_EQ(asked("500us", "./recorded").status, 5) << "its requests take 1 ms alone";
    const Outcome other = asked("3ms", "./serve");
    EXPECT_EQ(other.status, 4);
    EXPECT_TRUE(has(other.out, "shows too little of serve: it has recorded")) << other.out << other.err;
    EXPECT_EQ(xcli({"admit", "--programs", file(), "--recording", workload, "--", "./serve"}).status, 2);
}

// A program that works all the time changes nothing while it is recorded.
// A program without a rival is not followed, so that its rests are not seen.
TEST_F(Admit, ARecordingTellsNothingOfAProgramThatWasNotFollowed) {
    if (!has_simulator()) GTEST_SKIP() << "there is no xsim";
    start();
    TestClient client;
    ASSERT_TRUE(client.connect(socket(), "serve"));
    client.add_queue(0, 0, 0xab1);
    client.submit(0);
    const std::string recording = directory.path() + "/alone.rec";
    const Outcome recorded = xcli({"record", "-o", recording, "-t", "100ms"});
    EXPECT_TRUE(has(recorded.out, "0 changes of 1 queue")) << recorded.out;
    EXPECT_TRUE(has(recorded.err, "serve (pid " + std::to_string(getpid()) + ") was not followed")) << recorded.err;
    const Outcome replayed = run_to_end({binary("xsim"), "replay", recording}, {});
    EXPECT_EQ(replayed.status, 2) << replayed.out;
    EXPECT_TRUE(has(replayed.err, "had no rival on their device")) << replayed.err;
    const Outcome admitted =
        xcli({"admit", "--check", "--programs", file(), "--recording", recording, "--slo-p99", "9ms", "--", "./serve"});
    EXPECT_FALSE(has(admitted.out + admitted.err, "without rests")) << admitted.out << admitted.err;
    EXPECT_TRUE(has(admitted.err, "had no rival on their device")) << admitted.err;
}

TEST_F(Admit, ARecordingTellsOfAProgramWithoutRests) {
    if (!has_simulator()) GTEST_SKIP() << "there is no xsim";
    start({"--policy", "OBSERVE"});
    TestClient client;
    ASSERT_TRUE(client.connect(socket(), "train"));
    client.add_queue(0, 0, 0xab1);
    client.slot(0).command_ns = 2'000'000;
    client.submit(0);
    const std::string recording = directory.path() + "/train.rec";
    ASSERT_EQ(xcli({"record", "-o", recording, "-t", "1100ms"}).status, 0);
    const Json work = run_to_end({binary("xsim"), "work", recording}, {}).json()["known"][0];
    EXPECT_EQ(work["program"], "train");
    EXPECT_EQ(work["work"]["endless"], true);
    EXPECT_EQ(work["work"]["command_us"][3], 2000);
    const Outcome refused =
        xcli({"admit", "--check", "--programs", file(), "--recording", recording, "--slo-p99", "9ms", "--", "./train"});
    EXPECT_EQ(refused.status, 5);
    EXPECT_TRUE(has(refused.out, "train works without rests")) << refused.out << refused.err;
}

TEST_F(Admit, NothingIsStartedThatIsNotKnown) {
    start();
    const std::string made = directory.path() + "/made";
    const Outcome outcome = xcli({"admit", "--slo-p99", "5ms", "--", "/usr/bin/touch", made});
    EXPECT_EQ(outcome.status, 4);
    EXPECT_TRUE(has(outcome.err, "nothing is known of touch: run it once")) << outcome.err;
    EXPECT_NE(access(made.c_str(), F_OK), 0);
    EXPECT_EQ(xcli({"admit", "--check", "--slo-p99", "5ms", "--", "touch"}).status, 4);
    const Outcome checked = xcli({"admit", "--check", "--unknown", "run", "--slo-p99", "5ms", "--", "touch"});
    EXPECT_TRUE(has(checked.out, "touch: without --check it runs on trial (--unknown run)")) << checked.out;
    const Outcome trial = xcli({"admit", "--unknown", "run", "--slo-p99", "5ms", "--", "/usr/bin/touch", made});
    EXPECT_EQ(trial.status, 0) << trial.err;
    EXPECT_TRUE(has(trial.err, "on trial, and nothing is promised: nothing is known of touch\n")) << trial.err;
    EXPECT_EQ(access(made.c_str(), F_OK), 0);
}

TEST_F(Admit, AProgramThatIsNotThereIsSaid) {
    start();
    for (const std::vector<std::string>& order : std::vector<std::vector<std::string>>{
             {"admit", "--slo-p99", "30ms"}, {"admit", "--check", "--slo-p99", "30ms"}, {"rules", "test"}}) {
        std::vector<std::string> words = order;
        words.insert(words.end(), {"--", "./nosuch"});
        expect_sentence(words, "./nosuch cannot be executed: No such file or directory");
    }
}

TEST_F(Admit, WithoutPromisesItRunsAsUnderRun) {
    start();
    const Outcome outcome = xcli({"admit", "--", "/bin/sh", "-c", "exit 7"});
    EXPECT_EQ(outcome.status, 7) << outcome.err;
}

TEST_F(Admit, WaitsForSoLongOnly) {
    start();
    const Outcome outcome = xcli({"admit", "--wait", "100ms", "--slo-p99", "5ms", "--", "true"});
    EXPECT_EQ(outcome.status, 4);
    EXPECT_TRUE(has(outcome.err, "true waits (--wait 100ms)")) << outcome.err;
}

TEST_F(Admit, ARunMakesAProgramKnown) {
    if (!has_simulator()) GTEST_SKIP() << "there is no xsim";
    start();
    {
        TestClient client;
        ASSERT_TRUE(client.connect(socket(), "serve"));
        client.add_queue(0, 10, 0xab1);
        client.slot(0).slo_p99 = 3000000;
        for (int i = 0; i < 40; ++i) request(client);
        client.hang_up();
    }
    Outcome outcome;
    EXPECT_TRUE(eventually([&] {
        outcome = xcli({"admit", "--check", "--slo-p99", "2s", "--name", "serve", "--", "true"});
        return outcome.status == 0;
    })) << outcome.out
        << outcome.err;
    EXPECT_TRUE(has(outcome.out, "admitted: 99 of 100 requests of serve")) << outcome.out;
    EXPECT_EQ(xcli({"admit", "--check", "--slo-p99", "1ms", "--name", "serve", "--", "true"}).status, 5)
        << "they take 3 ms";
}

TEST_F(Admit, TheScoreIsThatOfTheRequests) {
    start();
    TestTool tool(socket());
    ASSERT_EQ(tool.ask({{"cmd", "expect"}})["ok"], true);
    ASSERT_EQ(tool.ask({{"cmd", "promise"}, {"program", "serve"}, {"target_us", 3000000}})["ok"], true);
    EXPECT_EQ(xcli({"status", "--promises", "--json"}).json()["promises"][0]["promise"], "awaited");
    TestClient client;
    ASSERT_TRUE(client.connect(socket(), "serve"));
    client.add_queue(0, 10, 0xab1);
    client.slot(0).slo_p99 = 3000000;
    Json promise;
    ASSERT_TRUE(eventually([&] {
        request(client);
        promise = xcli({"status", "--promises", "--json"}).json()["promises"][0];
        return promise.value("requests", 0) >= 3;
    })) << promise;
    EXPECT_EQ(promise["kept"], true);
    EXPECT_EQ(promise["promise"], "holds");
    const Outcome shown = xcli({"status", "--promises"});
    EXPECT_TRUE(has(shown.out, "1 put to the test, 1 kept (100 %)")) << shown.out;
    EXPECT_FALSE(has(shown.out, "by a hint")) << "its target is that of the promise: " << shown.out;
}

TEST_F(Admit, ATargetByAHintIsShownBesideThePromises) {
    start();
    TestClient client;
    ASSERT_TRUE(client.connect(socket(), "trainer"));
    client.add_queue(0, 10, 0xab1);
    client.slot(0).slo_p99 = 3000;
    EXPECT_TRUE(has(xcli({"admit", "--check", "--device", "9", "--", "true"}).out, "no program works on device 9 now"));
    const Outcome shown = xcli({"status", "--promises"});
    EXPECT_TRUE(has(shown.out, "(trainer) has a p99 target 3.0 ms by a hint")) << shown.out;
}

}  // namespace
}  // namespace xsched::test
