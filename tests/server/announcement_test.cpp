// A server is found from every environment of its user, and leaves nothing behind. In a mount namespace of the test's
// own, so that the user's other servers are out of sight; without one it is skipped.
#include <functional>

#include "support/own_mounts.h"
#include "support/server_rig.h"

namespace xsched::test {
namespace {

const std::string kTmpPlace = "/tmp/xsched-" + std::to_string(geteuid()) + "/xserver.sock";
constexpr const char* kSessionPlace = "/tmp/session/xsched/xserver.sock";

Environment of_session(bool has_runtime_directory) {
    return {{"XSCHED_SOCKET", ""},
            {"XDG_RUNTIME_DIR", has_runtime_directory ? "/tmp/session" : ""},
            {"XLOG_LEVEL", "INFO"},
            {"XLOG_FILE", ""}};
}

// Runs `body` in a mount namespace with an empty /tmp and /run but for a session's directory. Returns what `body`
// finds wrong; empty: nothing.
std::string in_a_world_of_its_own(const std::function<std::string()>& body) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return "no pipe";
    const pid_t child = fork();
    if (child == 0) {
        const bool own = enter_own_run_and_tmp() && mkdir("/tmp/session", 0700) == 0;
        const bool there = access(binary("xserver").c_str(), X_OK) == 0;
        const std::string wrong = !own ? "skip" : !there ? "hidden" : body();
        _exit(write(ends[1], wrong.data(), wrong.size()) == static_cast<ssize_t>(wrong.size()) ? 0 : 1);
    }
    close(ends[1]);
    const base::UniqueFd said(ends[0]);
    char text[4096];
    const ssize_t bytes = read(said.get(), text, sizeof(text));
    waitpid(child, nullptr, 0);
    return bytes > 0 ? std::string(text, static_cast<size_t>(bytes)) : "";
}

std::string answering_pid(const std::string& place) {
    const Json answer = answer_of_server(place, {{"cmd", "server"}});
    return answer.contains("pid") ? std::to_string(answer.value("pid", 0)) : "nobody";
}

class Announced : public ::testing::Test {
protected:
    void expect_nothing_wrong(const std::function<std::string()>& body) {
        const std::string wrong = in_a_world_of_its_own(body);
        if (wrong == "skip") GTEST_SKIP() << "no mount namespace can be made here";
        if (wrong == "hidden") GTEST_SKIP() << "the build directory is below /tmp or /run, which an empty one covers";
        EXPECT_EQ(wrong, "");
    }
};

TEST_F(Announced, OneServerIsFoundWithAndWithoutARuntimeDirectory) {
    expect_nothing_wrong([]() -> std::string {
        Process server({binary("xserver"), "--no-supervise"}, of_session(true));
        if (!server.wait_for_output(std::string("listening on ") + kSessionPlace)) return "no server: " + server.err();
        const std::string pid = std::to_string(server.pid());
        if (answering_pid(kSessionPlace) != pid) return "not at its own place";
        if (!eventually([&] { return answering_pid(kTmpPlace) == pid; })) return "not in /tmp: " + server.err();
        Process second({binary("xserver"), "--no-supervise"}, of_session(false));
        if (second.wait() != 2 || second.err().find("another xserver serves") == std::string::npos)
            return "a second one starts: " + second.err();
        kill(server.pid(), SIGTERM);
        if (server.wait() != 0) return "it does not end";
        struct stat info{};
        return lstat(kTmpPlace.c_str(), &info) == 0 ? "the link stays" : "";
    });
}

TEST_F(Announced, WhatADeadServerLeftIsInNobodysWay) {
    expect_nothing_wrong([]() -> std::string {
        for (const bool first : {true, false}) {
            Process dead({binary("xserver"), "--no-supervise"}, of_session(first));
            if (!dead.wait_for_output("listening on")) return "no server: " + dead.err();
            if (!eventually([&] { return answering_pid(kTmpPlace) == std::to_string(dead.pid()); }))
                return "not in /tmp: " + dead.err();
            kill(dead.pid(), SIGKILL);
            dead.wait();
            Process next({binary("xserver"), "--no-supervise"}, of_session(!first));
            if (!next.wait_for_output("listening on")) return "no successor: " + next.err();
            if (!eventually([&] { return answering_pid(kTmpPlace) == std::to_string(next.pid()); }))
                return "its successor is not in /tmp: " + next.err();
            kill(next.pid(), SIGTERM);
            next.wait();
        }
        return "";
    });
}

// The link that a killed server left in /tmp leads to where its successor listens, and becomes the successor's.
TEST_F(Announced, ASuccessorAtTheSamePlaceTakesTheLinkOver) {
    expect_nothing_wrong([]() -> std::string {
        Process dead({binary("xserver"), "--no-supervise"}, of_session(true));
        if (!eventually([&] { return answering_pid(kTmpPlace) == std::to_string(dead.pid()); }))
            return "not in /tmp: " + dead.err();
        kill(dead.pid(), SIGKILL);
        dead.wait();
        Process next({binary("xserver"), "--no-supervise"}, of_session(true));
        if (!eventually([&] { return answering_pid(kTmpPlace) == std::to_string(next.pid()); }))
            return "its successor is not in /tmp: " + next.err();
        kill(next.pid(), SIGTERM);
        next.wait();
        if (next.err().find("another server") != std::string::npos) return "it takes itself for another: " + next.err();
        struct stat info{};
        return lstat(kTmpPlace.c_str(), &info) == 0 ? "the link stays" : "";
    });
}

TEST_F(Announced, TwoServersSayThatTheyAreTwo) {
    expect_nothing_wrong([]() -> std::string {
        Process first({binary("xserver"), "--no-supervise"}, of_session(false));
        if (!first.wait_for_output("listening on")) return "no server: " + first.err();
        Process second({binary("xserver"), "--no-supervise"}, of_session(true));
        if (!second.wait_for_output("listening on")) return "no second server: " + second.err();
        const std::string sentence = "another server of this user answers at " + kTmpPlace;
        return eventually([&] {
            second.take_output();
            return second.err().find(sentence) != std::string::npos;
        })
                   ? ""
                   : second.err();
    });
}

TEST_F(Announced, AServerWithASocketOfItsOwnKeepsToItself) {
    expect_nothing_wrong([]() -> std::string {
        Environment own = of_session(true);
        own["XSCHED_SOCKET"] = "/tmp/session/own.sock";
        Process server({binary("xserver"), "--no-supervise"}, own);
        if (!server.wait_for_output("listening on")) return "no server: " + server.err();
        usleep(100'000);
        return answering_pid(kTmpPlace) == "nobody" ? "" : "it is announced";
    });
}

}  // namespace
}  // namespace xsched::test
