#include "console/fold.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using xsched::console::folded;

TEST(Fold, WhatFitsStaysAsItIs) {
    EXPECT_EQ(folded("short\n  also  short\n\n", 80), "short\n  also  short\n\n");
    EXPECT_EQ(folded(std::string(200, 'x') + "\n", 0), std::string(200, 'x') + "\n");
}

TEST(Fold, SentencesGoOnIndented) {
    EXPECT_EQ(folded("held by one that is more urgent than it is here and now\n", 40),
              "held by one that is more urgent than it\n    is here and now\n");
    EXPECT_EQ(folded("    held by one that is more urgent than it\n", 40),
              "    held by one that is more urgent than\n        it\n");
}

TEST(Fold, TheLastColumnStaysAColumn) {
    EXPECT_EQ(folded("NAME    12  what it means is said in here, and more\n", 48),
              "NAME    12  what it means is said in here, and\n            more\n");
}

TEST(Fold, AColumnTooFarToTheRightIsNone) {
    EXPECT_EQ(folded("one                                two three four five\n", 40),
              "one                                two\n    three four five\n");
}

TEST(Fold, WordsAreWhole) {
    const std::string path(60, 'p');
    EXPECT_EQ(folded("see " + path + " for more\n", 40), "see\n    " + path + "\n    for more\n");
}

TEST(Fold, ColoursHaveNoColumnsAndLettersOne) {
    const std::string line = "\033[31m" + std::string(20, 'x') +
                             " \u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4 123456789\033[0m\n";
    EXPECT_EQ(folded(line, 40), line);
}

TEST(Fold, StandardErrorFitsItsTerminal) {
    winsize size{};
    size.ws_col = 60;
    size.ws_row = 20;
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
    if (child == 0) {
        xsched::console::print_error("tool: %s\n",
                                     "a sentence that is longer than the sixty columns of the terminal that shows it");
        _exit(0);
    }
    std::string text;
    char part[256];
    for (ssize_t bytes = 0; (bytes = read(terminal, part, sizeof part)) > 0;)
        text.append(part, static_cast<size_t>(bytes));
    waitpid(child, nullptr, 0);
    close(terminal);
    EXPECT_EQ(text, "tool: a sentence that is longer than the sixty columns of\r\n    the terminal that shows it\r\n");
}

}  // namespace
