#include "base/log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "support/child.h"
#include "support/directory.h"
#include "support/environment.h"
#include "support/pattern.h"

namespace {

using namespace xsched::base;
using namespace xsched::test;

class Log : public testing::Test {
protected:
    void SetUp() override { set_log_level(LogLevel::kDebug); }
    void TearDown() override { set_log_level(LogLevel::kInfo); }
    template <typename Say>
    static std::string said(Say say) {
        testing::internal::CaptureStderr();
        say();
        return testing::internal::GetCapturedStderr();
    }

    WithEnvironment unset_{{{"XLOG_FILE", ""}}};
};

TEST_F(Log, LinesHaveTheUsersFormat) {
    const std::string line = said([] { XLOG_INFO("using local scheduler with policy %s", "HPF"); });
    EXPECT_TRUE(
        Pattern(R"(\[INFO @ T\d+ @ \d\d:\d\d:\d\d\.\d{6}\] using local scheduler with policy HPF\n)").is_all_of(line))
        << line;
}

TEST_F(Log, ErrorsAloneSayWhere) {
    EXPECT_TRUE(Pattern(R"(context is destroyed @ log_test\.cpp:\d+\n$)").is_in(said([] {
        XLOG_ERRO("hip error 709: context is destroyed");
    })));
    EXPECT_TRUE(Pattern(R"(\[WARN .*\] w\n$)").is_in(said([] { XLOG_WARN("w"); })));
}

TEST_F(Log, WhatIsOffIsNotWrittenNorEvaluated) {
    set_log_level(LogLevel::kWarn);
    int evaluated = 0;
    EXPECT_EQ(said([&] { XLOG_INFO("%d", ++evaluated); }), "");
    EXPECT_EQ(evaluated, 0);
}

TEST_F(Log, ALongLineIsCutAndStillEnds) {
    const std::string line = said([] { XLOG_ERRO("%s", std::string(5000, 'x').c_str()); });
    EXPECT_LT(line.size(), 1100u);
    EXPECT_TRUE(Pattern(R"( @ log_test\.cpp:\d+\n$)").is_in(line));
}

TEST_F(Log, GoesToAFileWhereOneIsNamed) {
    const TemporaryDirectory directory;
    const std::string path = directory / "xlog";
    setenv("XLOG_FILE", path.c_str(), 1);
    EXPECT_EQ(said([] { XLOG_INFO("into the file"); }), "");
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    const std::string head = R"(\d{4}-\d\d-\d\d [^ ]*)";  // the day, the program
    const std::string line = R"(\[)" + std::to_string(getpid()) + R"(\] \[INFO @ T\d+ @ [0-9:.]+\] into the file\n)";
    EXPECT_TRUE(Pattern(head + line).is_all_of(text.str())) << text.str();
}

TEST_F(Log, LevelsHaveNames) {
    LogLevel level{};
    EXPECT_TRUE(find_log_level("debug", &level));
    EXPECT_EQ(level, LogLevel::kDebug);
    EXPECT_FALSE(find_log_level("loud", &level));
    set_log_level(LogLevel::kWarn);
    EXPECT_STREQ(log_level_name(), "WARN");
    set_log_level(LogLevel::kInfo);
    EXPECT_STREQ(log_level_name(), "INFO");
}

std::string g_sunk;

TEST_F(Log, ASinkGetsWholeLinesInstead) {
    g_sunk.clear();
    set_log_sink([](const char* line, size_t bytes) { g_sunk.append(line, bytes); });
    EXPECT_EQ(said([] { XLOG_INFO("to the sink"); }), "");
    EXPECT_TRUE(Pattern(R"(\[INFO .*\] to the sink\n)").is_all_of(g_sunk)) << g_sunk;
    EXPECT_EQ(said([] { write_log_line(g_sunk.data(), g_sunk.size()); }), g_sunk) << "as without a sink";
    set_log_sink(nullptr);
    EXPECT_NE(said([] { XLOG_INFO("as before"); }).find("as before"), std::string::npos);
}

TEST_F(Log, AFullDiskCostsOneLineAndNothingElse) {
    setenv("XLOG_FILE", "/dev/full", 1);
    testing::internal::CaptureStderr();
    const int status = in_child([] {  // the line comes once in a process
        errno = 42;
        for (int i = 0; i < 3; ++i) XLOG_INFO("lost");
        return errno == 42 ? 0 : 1;
    });
    EXPECT_EQ(status, 0) << "the guest's errno";
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("/dev/full cannot be written"), std::string::npos) << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
}

}  // namespace
