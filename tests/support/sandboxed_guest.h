// A guest that enters a sandbox (support/sandbox.h), and the server that it has connected to before. Its exit status is
// 0, kNoSandbox, or another one that tells of a failure.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "support/child.h"
#include "support/directory.h"
#include "support/small_server.h"

namespace xsched::test {

inline constexpr int kNoSandbox = 77;

// Makes the environment name this socket to guests that start from now on. Returns its path.
inline std::string named_socket(const TemporaryDirectory& directory) {
    const std::string path = directory / "socket";
    setenv("XSCHED_SCHEDULER", "global", 1);
    setenv("XSCHED_SOCKET", path.c_str(), 1);
    return path;
}

inline void expect_quiet_end(int status, bool came, const char* otherwise) {
    if (status == kNoSandbox) GTEST_SKIP() << "no sandbox can be entered here";
    EXPECT_NE(status, 1000 + SIGSYS) << otherwise;
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(came);
}

// Runs a guest while the server suspends and resumes it again and again. `wish`: what else the server asks for each
// time.
inline void expect_nothing_comes_late(const std::function<int()>& guest,
                                      const std::function<void(SmallServer&, bool suspend)>& wish) {
    const TemporaryDirectory directory;
    const std::string path = named_socket(directory);
    EarlyChild child(guest);
    SmallServer server(path);
    std::atomic<bool> ended{false};
    std::atomic<bool> came{false};
    std::thread wishes([&] {
        came = server.wait_for_client();
        for (bool suspend = false; came && !ended; suspend = !suspend) {
            server.region().header.watching = 1;
            wish(server, suspend);
            server.set_suspended(suspend);
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        if (came) server.set_suspended(false);
    });
    const int status = child.run();
    ended = true;
    wishes.join();
    expect_quiet_end(status, came, "something of ours came too late");
}

// The guest goes on when its server has gone. It finds TEST_STAYS_LONG in its environment.
inline void expect_its_server_may_go(const std::function<int()>& guest) {
    const TemporaryDirectory directory;
    const std::string path = named_socket(directory);
    setenv("TEST_STAYS_LONG", "1", 1);
    EarlyChild child(guest);
    unsetenv("TEST_STAYS_LONG");
    auto server = std::make_unique<SmallServer>(path);
    bool came = false;
    std::thread ends([&] {
        came = server->wait_for_client();
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        server.reset();
    });
    const int status = child.run();
    ends.join();
    expect_quiet_end(status, came, "another server was looked for");
}

}  // namespace xsched::test
