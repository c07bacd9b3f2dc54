// The common part of the tool's tests: running xcli to its end in a private directory.
#pragma once

#include <algorithm>
#include <fstream>
#include <sstream>

#include "support/server_rig.h"
#include "support/text.h"

namespace xsched::test {

struct Outcome {
    int status = -1;
    std::string out;
    std::string err;
    Json json() const { return Json::parse(out, nullptr, false); }
};

inline Outcome run_to_end(const std::vector<std::string>& words, const Environment& environment) {
    Process process(words, environment);
    const int status = process.wait();
    return {status, process.out(), process.err()};
}

class WithCli : public WithServer {
protected:
    void SetUp() override {}
    // Ends the servers that xcli has started: no process of the test is their parent.
    void TearDown() override {
        for (const std::string& place : {socket(), directory.path() + "/xsched/xserver.sock"}) {
            std::ifstream lock(place + ".lock");
            pid_t pid = 0;
            if (lock >> pid && access(place.c_str(), F_OK) == 0) kill(pid, SIGTERM);
        }
    }
    Outcome xcli(const std::vector<std::string>& words, const Environment& more = {}) {
        std::vector<std::string> all{binary("xcli")};
        all.insert(all.end(), words.begin(), words.end());
        Environment environment = directory.environment();
        for (const auto& [name, value] : more) environment[name] = value;
        return run_to_end(all, environment);
    }
    // Returns whether the server's log has the text, by now or soon.
    bool is_logged(const std::string& text) {
        return eventually([&] {
            server->process().take_output();
            return has(server->process().err(), text);
        });
    }
    // Demands that the command ends with this status and one sentence that has `part` in it. 2: usage, 3: no server, 4:
    // no such program, 5: refused.
    void expect_sentence(const std::vector<std::string>& words, const std::string& part, int status = 2) {
        const Outcome outcome = xcli(words);
        EXPECT_EQ(outcome.status, status) << part << outcome.err;
        EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
        EXPECT_EQ(outcome.out, "");
    }
};

// A server with a client, the program "trainer", which has one queue of priority 3 with the number 0xab1.
class WithTrainer : public WithCli {
protected:
    void SetUp() override { start_with(client, "trainer", 3, 0xab1); }
    TestClient client;
};

}  // namespace xsched::test
