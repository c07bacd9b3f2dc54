#include "base/options.h"

#include <gtest/gtest.h>
#include <strings.h>

#include <algorithm>
#include <cctype>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/text.h"
#include "support/directory.h"
#include "support/environment.h"

namespace {

using xsched::base::Options;
using xsched::base::read_options;
using xsched::test::TemporaryDirectory;
using xsched::test::WithEnvironment;

// Reads the options with these environment variables set. `said`: the warnings that this wrote to standard error.
Options read_with(std::initializer_list<std::pair<const char*, const char*>> variables, std::string* said = nullptr) {
    for (const auto* info = xsched::base::option_infos(); info->variable != nullptr; ++info) unsetenv(info->variable);
    for (const auto& [name, value] : variables) setenv(name, value, 1);
    testing::internal::CaptureStderr();
    const Options options = read_options();
    const std::string text = testing::internal::GetCapturedStderr();
    if (said != nullptr) *said = text;
    for (const auto& [name, value] : variables) unsetenv(name);
    return options;
}

TEST(Options, DefaultsAreSilent) {
    std::string said;
    const Options options = read_with({}, &said);
    EXPECT_EQ(said, "");
    EXPECT_EQ(options.scheduler_type, kSchedulerGlobal);
    EXPECT_TRUE(options.auto_xqueue_on);
    EXPECT_EQ(options.priority, 0);
    EXPECT_STREQ(options.policy_name, "HPF");
}

TEST(Options, SchedulersByEveryPublishedNameWithoutCase) {
    for (const char* name : {"local", "LOCAL", "LCL", "lcl"})
        EXPECT_EQ(read_with({{"XSCHED_SCHEDULER", name}}).scheduler_type, kSchedulerLocal) << name;
    for (const char* name : {"APP", "app"})
        EXPECT_EQ(read_with({{"XSCHED_SCHEDULER", name}}).scheduler_type, kSchedulerAppManaged) << name;
    for (const char* name : {"GLB", "global"})
        EXPECT_EQ(read_with({{"XSCHED_SCHEDULER", name}}).scheduler_type, kSchedulerGlobal) << name;
}

// Options are read alike in a Turkish locale, where the capital of i is not I. The test makes the locale, since a
// machine may lack it.
TEST(Options, AWordIsTheSameInTurkish) {
    const TemporaryDirectory folder;
    const std::string make = "localedef -i tr_TR -f ISO-8859-9 " + folder.path() + "/tr_TR.ISO-8859-9 >/dev/null 2>&1";
    const bool made = std::system(make.c_str()) <= 0x100;  // 1: with warnings
    const WithEnvironment located{{{"LOCPATH", folder.path()}}};
    const bool turkish = made && setlocale(LC_ALL, "tr_TR.ISO-8859-9") != nullptr;
    if (turkish) {
        EXPECT_NE(tolower('I'), 'i') << "else this tests nothing";
        std::string said;
        read_with({{"XSCHED_AUTO_XQUEUE", "oFf"}}, &said);
        EXPECT_EQ(said, "");
        EXPECT_TRUE(xsched::base::same_word("INFO", "info"));
        EXPECT_FALSE(xsched::base::same_word("INFO", "inf"));
        EXPECT_FALSE(xsched::base::same_word("INF", "info"));
        EXPECT_FALSE(xsched::base::is_alnum('\xfd')) << "the letter of that code belongs to Turkish";
    }
    setlocale(LC_ALL, "C");
    if (!turkish) GTEST_SKIP() << "localedef cannot make the locale tr_TR here";
}

TEST(Options, APolicyAloneMeansTheLocalScheduler) {
    EXPECT_EQ(read_with({{"XSCHED_POLICY", "HPF"}}).scheduler_type, kSchedulerLocal);
    EXPECT_EQ(read_with({{"XSCHED_POLICY", "HPF"}, {"XSCHED_SCHEDULER", "GLB"}}).scheduler_type, kSchedulerGlobal);
}

TEST(Options, WhatIsNotUnderstoodGetsOneLineAndItsDefault) {
    const std::pair<const char*, const char*> bad[] = {
        {"XSCHED_AUTO_XQUEUE_PRIORITY", "256"}, {"XSCHED_AUTO_XQUEUE_PRIORITY", "seven"},
        {"XSCHED_AUTO_XQUEUE_LEVEL", "4"},      {"XSCHED_AUTO_XQUEUE_THRESHOLD", "1x"},
        {"XSCHED_AUTO_XQUEUE_TIMESLICE", "99"}, {"XSCHED_SCHEDULER", "nobody"},
        {"XSCHED_AUTO_XQUEUE", "perhaps"},      {"XSCHED_AUTO_XQUEUE_UTILIZATION", "99999999999999999999"}};
    for (const auto& entry : bad) {
        std::string said;
        const Options options = read_with({entry}, &said);
        EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
        EXPECT_NE(said.find(std::string(entry.first) + "=" + entry.second), std::string::npos) << said;
        EXPECT_EQ(options.priority, 0);
        EXPECT_EQ(options.timeslice_us, 5000);
        EXPECT_EQ(options.scheduler_type, kSchedulerGlobal);
        EXPECT_TRUE(options.auto_xqueue_on);
    }
}

TEST(Options, ASwitchForTheLaboratoryIsAKeyOfXschedDebug) {
    std::string said;
    Options options = read_with({{"XSCHED_DEBUG", "foresight=2,precautions=0"}}, &said);
    EXPECT_EQ(said, "");
    EXPECT_EQ(options.foresight, 2);
    EXPECT_EQ(options.precautions, 0);
    EXPECT_EQ(options.urgent_timeslice, Options{}.urgent_timeslice);
    options = read_with({{"XSCHED_FORESIGHT", "2"}}, &said);
    EXPECT_EQ(options.foresight, 2) << "its name before 0.9.0 counts";
    EXPECT_NE(said.find("XSCHED_FORESIGHT is a key of XSCHED_DEBUG now: write XSCHED_DEBUG=foresight=2"),
              std::string::npos)
        << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    options = read_with({{"XSCHED_FORESIGHT", "2"}, {"XSCHED_DEBUG", "foresight=0"}});
    EXPECT_EQ(options.foresight, 0) << "the key goes before the old name";
}

TEST(Options, AKeyThatIsNotUnderstoodGetsOneLineAndTheOthersCount) {
    for (const char* bad : {"foresight=3", "foresight=", "forsight=1", "foresight", "=1", "foresight=1x"}) {
        std::string said;
        const Options options = read_with({{"XSCHED_DEBUG", (std::string(bad) + ",precautions=0").c_str()}}, &said);
        EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << bad << ": " << said;
        EXPECT_NE(said.find("XSCHED_DEBUG"), std::string::npos) << said;
        EXPECT_EQ(options.foresight, 1) << bad;
        EXPECT_EQ(options.precautions, 0) << bad;
    }
}

TEST(Options, NoSwitchForTheLaboratoryIsAVariableOfItsOwn) {
    int count = 0;
    for (const auto* info = xsched::base::debug_infos(); info->variable != nullptr; ++info, ++count) {
        EXPECT_GT(strlen(info->help), 10u) << info->variable;
        EXPECT_TRUE(std::all_of(info->variable, info->variable + strlen(info->variable), [](char letter) {
            return letter == '_' || (letter >= 'a' && letter <= 'z');
        })) << info->variable;
    }
    EXPECT_GT(count, 8);
}

TEST(Options, EveryOneIsListedWithHelp) {
    int count = 0;
    for (const auto* info = xsched::base::option_infos(); info->variable != nullptr; ++info, ++count) {
        EXPECT_TRUE(strncmp(info->variable, "X", 1) == 0);
        EXPECT_GT(strlen(info->help), 10u) << info->variable;
    }
    EXPECT_GT(count, 10);
}

}  // namespace
