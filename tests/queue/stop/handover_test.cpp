// Tests how a process keeps its handovers (data with which xserver can stop the process's work) until they are sent,
// and for each new connection.
#include "queue/stop/handover.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

namespace xsched {
namespace {

std::vector<std::string> sent() {
    std::vector<std::string> all;
    queue::send_handovers(
        [](const XqHandover& handover, void* data) {
            static_cast<std::vector<std::string>*>(data)->push_back(
                std::to_string(handover.key) + ":" +
                std::string(static_cast<const char*>(handover.data), handover.bytes));
            return true;
        },
        &all);
    return all;
}

void hand_over(uint64_t key, const std::string& text) {
    XqHandover handover{};
    handover.platform = kPlatformCUDA;
    handover.key = key;
    handover.data = text.data();
    handover.bytes = static_cast<uint32_t>(text.size());
    xq_hand_over(&handover);
}

TEST(Handovers, AreSentOnceToEachServerInTheirNewestForm) {
    EXPECT_FALSE(queue::handovers_pending());
    hand_over(1, "old");
    hand_over(2, "other");
    hand_over(1, "new");
    EXPECT_TRUE(queue::handovers_pending());
    EXPECT_EQ(sent(), (std::vector<std::string>{"1:new", "2:other"}));
    EXPECT_FALSE(queue::handovers_pending());
    EXPECT_TRUE(sent().empty());
    queue::handovers_unsent();
    EXPECT_EQ(sent().size(), 2u);
    hand_over(1, "");
    hand_over(2, "");
    EXPECT_EQ(sent(), (std::vector<std::string>{"1:", "2:"})) << "withdrawn";
    queue::handovers_unsent();
    EXPECT_TRUE(sent().empty());
}

TEST(Handovers, WhatCouldNotBeSentStays) {
    hand_over(1, "x");
    queue::send_handovers([](const XqHandover&, void*) { return false; }, nullptr);
    EXPECT_TRUE(queue::handovers_pending());
    EXPECT_EQ(sent().size(), 1u);
    hand_over(1, "");
    sent();
}

TEST(Handovers, AChildHasNone) {
    hand_over(1, "x");
    const pid_t child = fork();
    if (child == 0) {
        queue::handovers_unsent();
        _exit(sent().empty() ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(sent().size(), 1u);
    hand_over(1, "");
    sent();
}

}  // namespace
}  // namespace xsched
