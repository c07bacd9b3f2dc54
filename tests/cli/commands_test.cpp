// The commands that look and steer, against a real server and a client made by hand.
#include <atomic>
#include <iterator>
#include <optional>
#include <sstream>
#include <thread>

#include "base/clock.h"
#include "cli/cli_rig.h"
#include "cli/fit.h"
#include "support/repeating.h"

namespace xsched::test {
namespace {

class Commands : public WithTrainer {
protected:
    void SetUp() override {
        WithTrainer::SetUp();
        if (!HasFatalFailure()) client.submit(0);
    }
    std::string me() const { return std::to_string(getpid()); }
    // Returns the words of a table's first line. The lines below it may differ from one command to the next.
    std::vector<std::string> columns(const std::vector<std::string>& command) {
        std::string line;
        std::istringstream out(xcli(command).out);
        std::getline(out, line);
        std::istringstream words(line);
        return {std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()};
    }
};

TEST_F(Commands, List) {
    const Outcome outcome = xcli({"list"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    for (const std::string& part :
         {std::string("PROGRAM"), me() + ".1", std::string("trainer"), std::string("0 CPU:1"), std::string("runs")})
        EXPECT_TRUE(has(outcome.out, part)) << part << " is not in\n" << outcome.out;
    for (const std::string& line : cli::lines_of(outcome.out)) EXPECT_LE(line.size(), 80U) << line;
    EXPECT_TRUE(has(xcli({"list", "--wide"}).out, "GOT 1/10/60 S"));
    const Json json = xcli({"list", "--json"}).json();
    ASSERT_EQ(json.value("ok", false), true);
    EXPECT_EQ(json["queues"][0]["queue"], 1);
    EXPECT_EQ(json["json_version"], 2);
    EXPECT_EQ(columns({"list", "-o", "wide"}), columns({"list", "--wide"}));
}

// The output of the commands fits 80 columns; only a single word that is longer than a line, such as a path, may go
// beyond.
TEST_F(Commands, WhatPeopleReadFitsEightyColumns) {
    client.submit(0);
    const auto fits = [&](const std::vector<std::string>& words, bool told = true) {
        std::string command;
        for (const std::string& word : words) command += " " + word;
        const Outcome outcome = xcli(words, {{"COLUMNS", "80"}});
        if (told) {
            EXPECT_EQ(outcome.status, 0) << command << ": " << outcome.err;
        }
        EXPECT_FALSE(outcome.out.empty()) << command;
        for (const std::string& line : cli::lines_of(outcome.out)) {
            const bool breakable = line.find(' ', line.find_first_not_of(' ')) != std::string::npos;
            if (breakable) {
                EXPECT_LE(line.size(), 80U) << command << ": " << line;
            }
        }
    };
    for (const char* command : {"list", "status", "explain", "server", "options", "json", "log", "policy"})
        fits({command});
    for (const std::vector<std::string>& words : {std::vector<std::string>{"policy", "-n"},
                                                  {"status", "--limits"},
                                                  {"top", "--once"},
                                                  {"metrics", "--definitions"},
                                                  {"hint", "-p", "3", me()},
                                                  {"suspend", me()},
                                                  {"resume", me()},
                                                  {"trace", "-t", "10ms", "-o", directory / "x.pftrace"},
                                                  {"record", "-t", "10ms", "-o", directory / "x.rec"}})
        fits(words);
    fits({"doctor"}, false);
    fits({"--help"});
    for (const char* command : {"run",    "report", "demo",    "list",   "status",  "explain", "top",    "windows",
                                "record", "trace",  "metrics", "server", "options", "json",    "doctor", "web",
                                "policy", "hint",   "config",  "limit",  "suspend", "resume",  "log"})
        fits({command, "--help"});
}

// Text is not folded if a program reads the output instead of a terminal: each thing has one line, however long.
TEST_F(Commands, OtherProgramsGetWholeLines) {
    EXPECT_TRUE(has(xcli({"policy", "-n"}).out,
                    "AUTO     learns which programs work in brief bursts and lets those go first, "
                    "with equal shares; latency targets instead of priorities\n"));
}

TEST_F(Commands, OneKeyOfJsonAndANarrowList) {
    EXPECT_TRUE(xcli({"json", "followed", "--json"}).json()["fields"].size() == 1);
    expect_sentence({"json", "folowed"}, "no key of --json is \"folowed\" (did you mean \"followed\"?)");
    for (const std::string& line : cli::lines_of(xcli({"list"}, {{"COLUMNS", "60"}}).out))
        EXPECT_LE(line.size(), 60U) << line;
    Process sleep({"/bin/sleep", "60"}, {});
    expect_sentence({"status", std::to_string(sleep.pid())}, "runs without XSched", 4);
}

// A program or queue can be named in these ways in every command that steers.
TEST_F(Commands, WhoIsMeantIsSaidInManyWays) {
    client.add_queue(1, 3, 0xab2);
    client.header().devices[0].write(client.slot(0).device, "Quick Device 9000");
    const auto hinted = [&](std::vector<std::string> words) {
        words.insert(words.begin(), "hint");
        words.insert(words.end(), {"--period", "7000"});
        return xcli(words).out;
    };
    EXPECT_EQ(hinted({"-x", me() + ".2"}), "hinted 1 queue\n");
    EXPECT_EQ(client.slot(0).period_us.load(), 0);
    EXPECT_EQ(client.slot(1).period_us.load(), 7000);
    EXPECT_EQ(hinted({"-x", "2", "--pid", me()}), "hinted 1 queue\n");
    TestClient other;  // of this process, too
    for (const std::string& process : {me(), std::string("train")})
        EXPECT_EQ(hinted({process, "-x", "2"}), "hinted 1 queue\n") << process;
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {me()}, {"trainer"}, {"train"}, {me(), "trainer"}, {"--all"}, {"--device", "0"}, {"--device", "Quick"}})
        EXPECT_EQ(hinted(words), "hinted 2 queues\n") << words[0];
    EXPECT_EQ(hinted({"-x", me() + ".1", "-x", me() + ".2"}), "hinted 2 queues\n");
    EXPECT_EQ(xcli({"config", "trainer", "-t", "5"}).out, "configured 2 queues\n");
    EXPECT_EQ(client.slot(1).want_threshold.load(), 5U);
    EXPECT_EQ(client.header().default_threshold.load(), 5U);
    EXPECT_EQ(xcli({"suspend", "trainer"}).out, "suspended pid " + me() + "\n");
    EXPECT_EQ(xcli({"resume", "--all"}).out, "resumed pid " + me() + "\n");
    EXPECT_EQ(xcli({"status", "trainer", "--json"}).json()["processes"].size(), 1U);
    expect_sentence({"hint", "nobody-of-that-name", "-p", "1"}, "no program \"nobody-of-that-name\"", 4);
    expect_sentence({"suspend", "--device", "none"}, "no queue is on device \"none\"", 4);
    expect_sentence({"suspend", "-x", "a.b"}, "is not a queue's number");
    for (const char* command : {"suspend", "resume", "explain", "status"})
        expect_sentence({command, ""}, "xcli: PROGRAM: the name of a program is empty");
    expect_sentence({"suspend", "--all", "trainer"}, "does not go together with --all");
    const Json listed = xcli({"list", "--json"}).json()["queues"][0];
    EXPECT_EQ(listed["device_index"], 0);
    EXPECT_EQ(listed["device_name"], "Quick Device 9000");
}

// An order for a process that has no queue at present is kept for its next one: between two queues, and before its
// first device call.
TEST_F(Commands, AHintThatThePolicyDoesNotReadIsTold) {
    const Outcome outcome = xcli({"hint", me(), "--share", "30"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_TRUE(has(outcome.err, "policy HPF does not use share to decide who runs; PUP, SPUP do")) << outcome.err;
    EXPECT_EQ(xcli({"hint", me(), "-p", "3", "--expect-in", "1000"}).err, "");
    const Outcome run = xcli({"run", "--k-deadline", "2", "--", "/bin/true"});
    EXPECT_TRUE(has(run.err, "policy HPF does not use k-deadline to decide who runs; KEDF does")) << run.err;
    expect_sentence({"policy", "PUPP"}, "there is no policy \"PUPP\" (did you mean \"PUP\"?): use one of AUTO, ");
    EXPECT_EQ(xcli({"policy", "PUP"}).out, "policy PUP\n");
    EXPECT_EQ(xcli({"hint", me(), "--share", "30"}).err, "");
}

TEST_F(Commands, TheLevelOfTheLogChanges) {
    EXPECT_EQ(xcli({"log"}).out, "log level INFO\n");
    EXPECT_EQ(xcli({"log", "debg"}).out, "log level DEBG\n");
    client.complete(0);
    TestClient high(socket(), "urgent");
    high.add_queue(0, 10, 0xab2);
    client.submit(0);
    high.submit(0);
    ASSERT_TRUE(client.becomes_suspended(0, true));
    EXPECT_TRUE(is_logged("suspended: makes room"));
    EXPECT_EQ(xcli({"log", "WARN"}).out, "log level WARN\n");
    EXPECT_TRUE(is_logged("log level WARN, as uid"));
    expect_sentence({"log", "LOUD"}, "there is no level \"LOUD\"");
}

TEST_F(Commands, TheLogSaysWhoToldWhat) {
    EXPECT_EQ(xcli({"hint", me(), "-p", "4"}).status, 0);
    EXPECT_TRUE(is_logged(") hints {\"pid\":" + me() + ",\"priority\":4}"));
}

TEST_F(Commands, WatchLooksAgain) {
    Process process({binary("xcli"), "list", "-w", "--interval", "50ms"}, directory.environment());
    ASSERT_TRUE(process.wait_for_output("trainer"));
    client.add_queue(1, 3, 0xab2);
    EXPECT_TRUE(process.wait_for_output(me() + ".2"));
    kill(process.pid(), SIGINT);
    EXPECT_EQ(process.wait(), 0);
}

TEST_F(Commands, WatchOutlivesTheServer) {
    Process process({binary("xcli"), "list", "-w", "--interval", "0.05"}, directory.environment());
    ASSERT_TRUE(process.wait_for_output("trainer"));
    server->stop(SIGKILL);
    EXPECT_TRUE(process.wait_for_output("no xserver answers"));
    start();
    TestClient again(socket(), "successor");
    again.add_queue(0, 3, 0xab3);
    EXPECT_TRUE(process.wait_for_output("successor"));
    kill(process.pid(), SIGINT);
    EXPECT_EQ(process.wait(), 0);
    expect_sentence({"list", "-w", "--interval", "0"}, "--interval: \"0\" is not from 50ms to 1h");
}

// The urgent program completes one of its commands now and then and is never without. A program that
// completes nothing, or is alone for long, loses the device, however late this test looks.
TEST_F(Commands, Status) {
    TestClient high(socket(), "urgent");
    high.add_queue(0, 10, 0xab2);
    high.submit(0);
    std::atomic<bool> over{false};
    std::thread program([&] {
        while (!over) {
            high.submit(0);
            high.slot(0).completed.fetch_add(1);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    });
    Outcome outcome;
    EXPECT_TRUE(eventually([&] {
        outcome = xcli({"status"});
        return has(outcome.out, "(trainer) held;") && has(outcome.out, "(urgent) runs;") &&
               has(outcome.out, "makes room for a more urgent unit");
    })) << outcome.out
        << outcome.err;
    over = true;
    program.join();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(xcli({"status", me(), "--json"}).json()["processes"].size(), 2U);
    expect_sentence({"status", "4194999"}, "no process has the number 4194999", 4);
    expect_sentence({"status", "x-y"}, "no program \"x-y\"", 4);
    expect_sentence({"status", "trianer"}, "is scheduled by this server (did you mean \"trainer\"?): 'xcli status'", 4);
}

TEST_F(Commands, RecordWritesWhatHappened) {
    const std::string file = directory / "recording";
    std::optional<Repeating> program(std::in_place, [&] {
        client.complete(0);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        client.submit(0);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    });
    const Outcome outcome = xcli({"record", "-o", file, "-t", "400ms", "--json"});
    program.reset();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_GT(outcome.json().value("changes", 0), 0) << outcome.out;
    EXPECT_EQ(outcome.json().value("queues", 0), 1);
    std::ifstream bytes(file, std::ios::binary);
    std::string magic(6, ' ');
    bytes.read(magic.data(), 6);
    EXPECT_EQ(magic, "XSREC\n");
    expect_sentence({"record", "-o", file, "-t", "soon"}, "is no time to record for");
    unlink(file.c_str());
    const Outcome ended = run_to_end(
        {"/usr/bin/timeout", "--preserve-status", "-s", "INT", "2", binary("xcli"), "record", "-o", file, "-t", "1h"},
        directory.environment());
    EXPECT_EQ(ended.status, 0) << "what there is by then is written: " << ended.err;
    EXPECT_EQ(access(file.c_str(), F_OK), 0);
    expect_sentence({"record", "-o", directory / "none" + "/x", "-t", "10ms"}, "cannot be written", 1);
    expect_sentence({"record", "-o", "/dev/full", "-t", "10ms"}, "/dev/full cannot be written: No space left", 1);
}

TEST_F(Commands, TopPrintsOnceWithoutATerminal) {
    const Outcome outcome = xcli({"top", "--interval", "0.1"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out, "trainer"));
    EXPECT_FALSE(has(outcome.out, "\033"));
    EXPECT_EQ(xcli({"top", "-f", "10"}).status, 0);
    EXPECT_EQ(xcli({"top", "--json"}).json().value("ok", false), true);
    EXPECT_EQ(xcli({"top", "--interval", "0"}).status, 2);
}

TEST_F(Commands, Server) {
    EXPECT_TRUE(has(xcli({"server"}).out, socket()));
    EXPECT_EQ(xcli({"server", "--json"}).json()["pid"], server->pid());
}

TEST_F(Commands, PolicyInAllItsForms) {
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"policy"},
                                                                                       {"policy", "-q"},
                                                                                       {"policy", "-s", "HPF"},
                                                                                       {"policy", "-s", "-n", "HPF"},
                                                                                       {"policy", "HPF"},
                                                                                       {"policy", "--set", "hpf"}}) {
        const Outcome outcome = xcli(words);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(outcome.out, "policy HPF\n");
    }
    EXPECT_TRUE(has(xcli({"policy", "-n"}).out, "highest priority first"));
    EXPECT_EQ(xcli({"policy", "--json"}).json()["policy"], "HPF");
    expect_sentence({"policy", "-s"}, "say which policy");
    expect_sentence({"policy", "-q", "PUP"}, "-q shows the policy: 'xcli policy PUP' changes to that one");
    expect_sentence({"policy", "-s", "XYZ"}, "there is no policy \"XYZ\": use one of");
}

TEST_F(Commands, Hint) {
    EXPECT_EQ(xcli({"hint", "-x", "0xab1", "-p", "-7", "-u", "50"}).out, "hinted 1 queue\n");
    EXPECT_EQ(client.slot(0).priority.load(), -7);
    EXPECT_EQ(client.slot(0).utilization.load(), 50);
    EXPECT_EQ(xcli({"hint", "-x", std::to_string(0xab1), "-p", "8"}).status, 0) << "a handle in decimal";
    EXPECT_EQ(client.slot(0).priority.load(), 8);
    EXPECT_EQ(xcli({"hint", "--pid", me(), "-p", "9"}).status, 0);
    EXPECT_EQ(client.slot(0).priority.load(), 9);
    EXPECT_EQ(client.header().default_priority.load(), 9);
    EXPECT_EQ(client.header().default_hints.load(), 1U);
    EXPECT_EQ(xcli({"hint", "-t", "2000"}).status, 0);
    EXPECT_EQ(client.slot(0).timeslice_us.load(), 2000);
    expect_sentence({"hint", "-p", "1"}, "say what it is for");
    expect_sentence({"hint", "-x", "0xab1"}, "the hint is empty");
    expect_sentence({"hint", "-x", "0xab1", "-p", "300"}, "--priority: 300 is not from -256 to 255");
    expect_sentence({"hint", "-x", "0xab1", "--share", "99999999999999999999"}, "99999999999999999999 is not from 0");
    expect_sentence({"hint", "-x", "0xab1", "-p", "high"}, "high");
    expect_sentence({"hint", "-x", "12ab", "-p", "1"}, "is not a queue's number");
    expect_sentence({"hint", "-x", "-1", "-p", "1"}, "");
    expect_sentence({"hint", "--pid", "4194999", "-p", "1"}, "no process 4194999 is scheduled", 4);
}

TEST_F(Commands, HintOfABurstToCome) {
    const int64_t before_ns = base::now_ns();
    EXPECT_EQ(xcli({"hint", me(), "--expect-in", "60000000"}).out, "hinted 1 queue\n");
    EXPECT_GE(client.slot(0).expect_ns.load(), before_ns + 60 * base::kSecond);
    EXPECT_LE(client.slot(0).expect_ns.load(), base::now_ns() + 60 * base::kSecond);
    EXPECT_EQ(xcli({"hint", "-x", "0xab1", "--period", "20000", "--expect-in", "0"}).status, 0);
    EXPECT_EQ(client.slot(0).period_us.load(), 20000);
    EXPECT_EQ(client.slot(0).expect_ns.load(), 0);
    EXPECT_EQ(xcli({"list", "--json"}).json()["queues"][0]["period_us"], 20000);
    expect_sentence({"hint", "--expect-in", "1000"}, "say what it is for");
    expect_sentence({"hint", me(), "--expect-in", "-1"}, "--expect-in: -1 is not from 0");
}

TEST_F(Commands, Config) {
    EXPECT_EQ(xcli({"config", "-x", "0xab1", "-t", "4"}).status, 0);
    EXPECT_EQ(client.slot(0).want_threshold.load(), 4U);
    EXPECT_EQ(client.slot(0).want_batch_size.load(), 0U);
    EXPECT_EQ(xcli({"config", "-x", "0xab1", "-l", "1", "-t", "16", "-b", "8"}).status, 0);
    EXPECT_EQ(client.slot(0).want_level.load(), 1U);
    EXPECT_EQ(client.slot(0).want_threshold.load(), 16U);
    EXPECT_EQ(client.slot(0).want_batch_size.load(), 8U);
    EXPECT_EQ(client.slot(0).want_serial.load(), 2U);
    expect_sentence({"config", "-x", "0xab1"}, "nothing to configure");
    for (const std::vector<std::string>& order :
         std::vector<std::vector<std::string>>{{"hint", "-p", "3"}, {"config", "-t", "4"}, {"suspend"}, {"resume"}})
        expect_sentence(
            order,
            "say what it is for: a program (PID or name), a queue (-x QUEUE), a device (--device DEVICE) or "
            "--all");
    expect_sentence({"config", "-x", "0xab1", "-l", "3"}, "has no preempt level 3", 5);
    expect_sentence({"config", "-x", "0xab1", "-t", "0"}, "--threshold: 0 is not from 1 to 65535");
}

TEST_F(Commands, SuspendAndResume) {
    EXPECT_EQ(xcli({"suspend", me()}).out, "suspended pid " + me() + "\n");
    EXPECT_EQ(client.slot(0).suspended.load(), 1U);
    EXPECT_TRUE(has(xcli({"list", "--wide"}).out, "suspended by xcli suspend"));
    EXPECT_EQ(xcli({"resume", "--pid", me()}).status, 0);
    EXPECT_EQ(client.slot(0).suspended.load(), 0U);
    EXPECT_EQ(xcli({"suspend", "-x", "0xab1"}).status, 0);
    EXPECT_EQ(client.slot(0).suspended.load(), 1U);
    EXPECT_EQ(xcli({"resume", "-x", "0xab1", "--json"}).json().value("ok", false), true);
    EXPECT_EQ(client.slot(0).suspended.load(), 0U);
    expect_sentence({"suspend"}, "say what");
    expect_sentence({"suspend", "4194999"}, "no process 4194999", 4);
    expect_sentence({"resume", "-x", "5"}, "there is no queue 5", 4);
}

// Each command's help is usage, examples, options, in 80 columns and without the library's own words.
TEST_F(Commands, HelpFitsEightyColumns) {
    std::istringstream all(xcli({"--help"}).out);
    int count = 0;
    for (std::string entry; std::getline(all, entry);) {
        if (entry.size() < 3 || entry.compare(0, 2, "  ") != 0 || islower(entry[2]) == 0) continue;
        const std::string name = entry.substr(2, entry.find(' ', 2) - 2);
        ++count;
        const std::string help = xcli({name, "--help"}).out;
        EXPECT_TRUE(has(help, "Usage: xcli " + name)) << help;
        for (const char* word : {"INT", "TEXT", "Excludes", "Needs", "REQUIRED"}) EXPECT_FALSE(has(help, word)) << help;
        std::istringstream lines(help);
        for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
    }
    EXPECT_GE(count, 20);
}

TEST_F(Commands, AFullDiskIsAnError) {
    for (const char* command :
         {"list", "status --json", "policy -n", "completion bash", "--help", "list --help", "-V"}) {
        const std::string line = binary("xcli") + " " + command + " > /dev/full";
        const Outcome outcome = run_to_end({"/bin/sh", "-c", line}, directory.environment());
        EXPECT_EQ(outcome.status, 1) << command;
        EXPECT_EQ(outcome.err, "xcli: standard output cannot be written: No space left on device\n") << command;
    }
}

TEST_F(Commands, WordsOfOtherToolsLeadToOurs) {
    for (const auto& [word, ours] : std::map<std::string, std::string>{
             {"ls", "list"}, {"reload", "rules load"}, {"replay", "xsim replay"}, {"pause", "suspend"}})
        expect_sentence({word}, "there is no command \"" + word + "\" (did you mean \"" + ours + "\"?)");
    expect_sentence({"kill", "1"}, "there is no command \"kill\" ('kill PID' ends a program");
}

TEST_F(Commands, ErrorsAreJsonToo) {
    const Outcome outcome = xcli({"suspend", "4194999", "--json"});
    EXPECT_EQ(std::pair(outcome.status, outcome.json().value("status", 0)), std::pair(4, 4));
    EXPECT_EQ(outcome.json().value("ok", true), false);
    EXPECT_TRUE(has(outcome.json().value("error", ""), "no process 4194999"));
}

}  // namespace
}  // namespace xsched::test
