// The way xcli top looks at the moment: its window, its order, and the lines that it shows. Any thread.
#pragma once

#include <string>
#include <vector>

#include "cli/top/rows.h"

namespace xsched::cli {

enum class TopMark { kPlain, kHeading, kChosen, kHeld, kStopped, kRuns, kIdle, kKeys };

struct TopLine {
    std::string text;  // at most as wide as the window; UTF-8 if the view allows it
    TopMark mark = TopMark::kPlain;
    uint32_t client = 0;  // the program that it is about; 0: none
};

struct TopView {
    size_t columns = 80;
    size_t rows = 24;
    bool utf8 = false;   // bars and histories as blocks, else as ASCII
    TopSort sort = TopSort::kHeld;
    bool reverse = false;
    bool tree = false;      // programs by user, and by pod, job or container
    bool commands = false;  // command lines instead of names
    std::string filter;
    uint32_t chosen = 0;            // the chosen program; 0: none
    std::vector<std::string> below; // queues or an explanation of it
    std::string question;           // in the last line, instead of the keys
    bool help = false;
};

}  // namespace xsched::cli
