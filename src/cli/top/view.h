// Draws xcli top as lines of text with marks, for a window of any size. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "cli/top/rows.h"

namespace xsched::cli {

enum class TopMark { kPlain, kHeading, kChosen, kHeld, kRuns, kIdle, kKeys };

struct TopLine {
    std::string text;  // at most as wide as the window; UTF-8 if the view allows it
    TopMark mark = TopMark::kPlain;
};

struct TopView {
    size_t columns = 80;
    size_t rows = 24;
    bool utf8 = false;   // bars and histories as blocks, else as ASCII
    TopSort sort = TopSort::kHeld;
    bool reverse = false;
    std::string filter;
    uint32_t chosen = 0;            // the chosen program; 0: none
    std::vector<std::string> below; // queues or an explanation of it
    std::string question;           // in the last line, instead of the keys
    bool help = false;
};

// Returns exactly as many lines as fit. Leaves out programs for which there is no room, but never the chosen one.
std::vector<TopLine> top_picture(const TopRows& rows, const TopView& view);
// Returns all programs, `columns` wide, for output that is no terminal.
std::string top_text(const TopRows& rows, TopView view);

// Returns, for example, "[####  ]  61"; a bar with its percentage. `width` counts the whole text in characters.
std::string top_bar(double percent, size_t width, bool utf8);
// Returns one character for each of the last values; 100 is the highest.
std::string top_history(const std::vector<double>& values, size_t width, bool utf8);

}  // namespace xsched::cli
