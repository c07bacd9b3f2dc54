#include "cli/top/view.h"

#include <algorithm>
#include <cstddef>
#include <sstream>

#include "base/states.h"
#include "base/text.h"
#include "cli/fit.h"
#include "console/columns.h"
#include "console/fold.h"

namespace xsched::cli {
namespace {

constexpr const char* kKeys = "q quit  ? help  e explain  t tree  c commands  / find  p priority  z suspend";

TopMark mark_of(const TopRow& row, const TopView& view) {
    if (row.client == view.chosen) return TopMark::kChosen;
    switch (base::tone_of(row.state)) {
        case base::Tone::kHeld: return TopMark::kHeld;
        case base::Tone::kStopped: return TopMark::kStopped;
        case base::Tone::kFaint: return TopMark::kIdle;
        default: return TopMark::kRuns;
    }
}

std::string title(const TopRows& rows, const TopView& view) {
    std::string text = "xcli top - policy " + rows.policy() + ", " + base::counted(rows.rows().size(), "program") +
                       ", by " + top_heading(view.sort) + (view.reverse ? " reversed" : "");
    if (!view.filter.empty()) text += ", only \"" + view.filter + "\"";
    return text;
}

std::string device_text(const TopDevice& device, const TopView& view) {
    const size_t name_columns = view.columns < 100 ? 26 : 46;
    return console::left(device.name(), name_columns) + " " +
           (device.use < 0 ? "use not known yet" : top_bar(device.use, 25, view.utf8) + " %") + "  " +
           base::counted(static_cast<uint64_t>(device.programs), "program") +
           (device.others > 0 ? ", " + std::to_string(device.others) + " of other users" : "");
}

const std::vector<std::string>& help() {
    static const std::vector<std::string> kLines = {
        "PRIO     priority, larger is more urgent   SHR    percent of the device wanted",
        "GOT %    device time of the last second    HELD%  of that: suspended, with work",
        "PRE/S    holds in the last second          P50 P99  of bursts, not of requests",
        "TARGET   for P99; !: P99 is longer         HISTORY  GOT, a mark for each look",
        "MEM      memory on the device              ON HOST, MEM LIM, MEM GUAR, SWAPS,",
        "WAITED   time without it, or for room      PRE/S, P50, USER: in a wide window",
        "up down j k, mouse: choose a program       Enter its queues   e  explain it",
        "t  tree by user and container              c     command lines",
        "s  sort by the next column   r  reverse    /     only programs with this text",
        "p priority  h share  n nice  P policy      z     suspend it, or resume it",
        "T  terminate it  K kill it                 a change is asked for first: y",
        "q  quit   ? this help   Escape shows all"};
    return kLines;
}

// Folds a sentence to the window's width.
std::vector<std::string> folded_lines(const std::string& sentence, size_t columns) {
    std::vector<std::string> lines;
    std::istringstream text(console::folded(sentence, columns));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
}

// Says why the table is empty.
std::string none_shown(const TopRows& rows, const TopView& view) {
    const size_t all = rows.rows().size();
    if (all == 0) return "no program is scheduled: start one with 'xcli run -- PROGRAM'";
    return "no match: none of " + base::counted(all, "program") + " has \"" + view.filter +
           "\" in its name, command line, user or number";
}

// Returns the lines of the programs; in a tree each user, and each pod, job or container, has a line above its own.
std::vector<TopLine> body_of(const TopRows& rows, const TopView& view) {
    const std::vector<TopRow> shown = top_order(rows, view);
    std::vector<TopLine> lines;
    for (size_t i = 0; i < shown.size(); ++i) {
        const TopRow& row = shown[i];
        const bool new_user = i == 0 || shown[i - 1].user != row.user;
        if (view.tree && new_user) lines.push_back({"user " + row.user, TopMark::kHeading});
        if (view.tree && !row.place.empty() && (new_user || shown[i - 1].place != row.place))
            lines.push_back({"  " + row.place, TopMark::kHeading});
        const size_t indent = !view.tree ? 0 : row.place.empty() ? 2 : 4;
        lines.push_back({top_line(rows, row, view, indent), mark_of(row, view), row.client});
    }
    if (!shown.empty()) return lines;
    for (const std::string& line : folded_lines(none_shown(rows, view), view.columns)) lines.push_back({line, {}});
    return lines;
}

// Returns the first line to show, so that the chosen program is among the `room` lines shown.
size_t first_shown(const std::vector<TopLine>& lines, uint32_t chosen, size_t room) {
    for (size_t i = 0; i < lines.size(); ++i)
        if (chosen != 0 && lines[i].client == chosen && i >= room) return i + 1 - room;
    return 0;
}

// Returns how many lines the text below the table gets: at most what is left beside three programs.
size_t lines_below(size_t wanted, size_t above, size_t programs, size_t rows) {
    const size_t least = std::min<size_t>(programs, 3);
    const size_t room = rows > above + least + 1 ? rows - above - least - 1 : 0;
    return std::min(wanted, room);
}

}  // namespace

std::vector<TopRow> top_order(const TopRows& rows, const TopView& view) {
    std::vector<TopRow> shown = rows.sorted(view.sort, view.reverse, view.filter);
    const auto branch = [](const TopRow& row) { return std::pair(row.user, row.place); };
    if (view.tree)
        std::stable_sort(shown.begin(), shown.end(),
                         [&](const TopRow& one, const TopRow& other) { return branch(one) < branch(other); });
    return shown;
}

std::vector<TopLine> top_picture(const TopRows& rows, const TopView& view) {
    std::vector<TopLine> lines{{title(rows, view), TopMark::kHeading}};
    for (const TopDevice& device : rows.devices()) lines.push_back({device_text(device, view), TopMark::kPlain});
    lines.push_back({top_headings(rows, view), TopMark::kHeading});
    const std::vector<TopLine> body = body_of(rows, view);
    const std::vector<std::string>& below = view.help ? help() : view.below;
    std::vector<std::string> foot = folded_lines(view.question, view.columns);
    if (foot.empty()) foot.emplace_back(kKeys);
    foot.erase(foot.begin(), foot.end() - static_cast<std::ptrdiff_t>(std::min(foot.size(), view.rows)));
    const size_t rows_above = view.rows - foot.size();
    const size_t most_below = lines_below(below.size(), lines.size(), body.size(), rows_above + 1);
    const size_t taken = lines.size() + most_below + foot.size();
    const size_t room = view.rows > taken ? view.rows - taken : 0;
    const size_t first = first_shown(body, view.chosen, room);
    for (size_t i = first; i < body.size() && i < first + room; ++i) lines.push_back(body[i]);
    for (size_t i = 0; i < most_below; ++i) lines.push_back({below[i], TopMark::kPlain});
    lines.resize(rows_above);
    const size_t left_out = body.size() > room ? body.size() - room : 0;
    if (left_out > 0 && view.question.empty() && !foot.empty())
        foot.front() = std::to_string(left_out) + " more  " + foot.front();
    for (const std::string& line : foot) lines.push_back({line, TopMark::kKeys});
    for (TopLine& line : lines) line.text = cut(line.text, view.columns);
    return lines;
}

std::string top_text(const TopRows& rows, TopView view) {
    view.rows = 3 * rows.rows().size() + rows.devices().size() + 4;  // in a tree, two lines may stand above a program
    std::string text;
    std::vector<TopLine> lines = top_picture(rows, view);
    lines.pop_back();  // the keys
    while (!lines.empty() && lines.back().text.empty()) lines.pop_back();
    for (TopLine& line : lines) {
        line.text.erase(line.text.find_last_not_of(' ') + 1);
        text += line.text + "\n";
    }
    return text;
}

}  // namespace xsched::cli
