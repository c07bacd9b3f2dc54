// The end of a tool's command line: the command's own status, or the result of `refuse` for the sentence.
#include "console/command_line.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace {

using xsched::console::kUsage;

class CommandLine : public testing::Test {
protected:
    CommandLine() {
        app_.add_subcommand("work")->callback([this] { command_ = [] { return 7; }; });
        app_.add_subcommand("fail")->callback(
            [this] { command_ = []() -> int { throw std::runtime_error("the device is gone"); }; });
        app_.require_subcommand(1);
    }

    int run(std::vector<const char*> words) {
        words.insert(words.begin(), "tool");
        const auto refuse = [this](const std::string& sentence) {
            said_ = sentence;
            return kUsage;
        };
        return xsched::console::run(
            app_, static_cast<int>(words.size()), const_cast<char**>(words.data()), "tool",
            [this] { return command_(); }, refuse);
    }

    CLI::App app_;
    std::function<int()> command_;
    std::string said_;
};

TEST_F(CommandLine, TheCommandsStatusIsTheProgramsStatus) {
    EXPECT_EQ(run({"work"}), 7);
    EXPECT_EQ(said_, "");
}

TEST_F(CommandLine, WhatACommandThrowsIsTheSentence) {
    EXPECT_EQ(run({"fail"}), kUsage);
    EXPECT_EQ(said_, "the device is gone");
}

TEST_F(CommandLine, AWrongLineNamesTheHelp) {
    EXPECT_EQ(run({"work", "--nonsense"}), kUsage);
    EXPECT_NE(said_.find(": see 'tool --help'"), std::string::npos) << said_;
}

}  // namespace
