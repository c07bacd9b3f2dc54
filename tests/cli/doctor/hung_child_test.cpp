// Where the threads of a child stand that does not answer.
#include "cli/doctor/hung_child.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace xsched::cli {
namespace {

void answer(int) { (void)!write(STDERR_FILENO, "here\n", 5); }

// A child process that hangs for good, in a process group of its own and with its standard error in a pipe.
class HungChild : public ::testing::Test {
protected:
    void start(bool with_handler) {
        int ends[2];
        ASSERT_EQ(pipe(ends), 0);
        child_ = fork();
        if (child_ == 0) {
            setpgid(0, 0);
            dup2(ends[1], STDERR_FILENO);
            if (with_handler) signal(SIGUSR1, answer);
            (void)!write(STDERR_FILENO, "!", 1);
            while (true) pause();
        }
        close(ends[1]);
        output_ = ends[0];
        char ready = 0;
        ASSERT_EQ(read(output_, &ready, 1), 1);
    }
    void TearDown() override {
        kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
        close(output_);
    }

    pid_t child_ = 0;
    int output_ = -1;
};

TEST_F(HungChild, EachThreadIsTold) {
    start(false);
    const Json threads = threads_of_group(child_);
    ASSERT_EQ(threads.size(), 1U) << threads;
    EXPECT_EQ(threads[0]["process"], child_);
    EXPECT_EQ(threads[0]["thread"], child_);
    EXPECT_FALSE(threads[0]["state"].get<std::string>().empty());
    EXPECT_TRUE(threads_of_group(child_ + 1'000'000).empty());
}

TEST_F(HungChild, OneThatAnswersIsAsked) {
    start(true);
    ask_for_stacks(child_);
    char text[5];
    ASSERT_EQ(read(output_, text, sizeof text), 5);
    EXPECT_EQ(std::string(text, 5), "here\n");
}

TEST_F(HungChild, OneThatWouldEndByTheQuestionIsNotAsked) {
    start(false);
    ask_for_stacks(child_);
    EXPECT_EQ(waitpid(child_, nullptr, WNOHANG), 0);
}

}  // namespace
}  // namespace xsched::cli
