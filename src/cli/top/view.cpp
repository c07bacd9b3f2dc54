#include "cli/top/view.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/fields.h"
#include "cli/fit.h"
#include "cli/size_text.h"

namespace xsched::cli {
namespace {

constexpr size_t kProgramLeast = 8;
constexpr size_t kFixed = 70;  // columns that all cells except the program's name take
constexpr size_t kHistoryWidth = 8;
constexpr size_t kMemory = 44;  // columns of the memory's cells, in a wide terminal
constexpr const char* kKeys = "q quit  ? help  arrows: choose  Enter: queues  e explain  p priority  z suspend";

std::string format(const char* pattern, double number) {
    char text[32];
    snprintf(text, sizeof(text), pattern, number);
    return text;
}

// Return a text aligned to the left or right edge of a column.
std::string left(std::string text, size_t width) {
    if (text.size() > width) text = width > 1 ? text.substr(0, width - 1) + "~" : text.substr(0, width);
    return text + std::string(width - text.size(), ' ');
}
std::string right(const std::string& text, size_t width) {
    return text.size() >= width ? text.substr(0, width) : std::string(width - text.size(), ' ') + text;
}

// Returns at most four digits and a unit: "812u", "2.1m", "1.5s".
std::string short_length(double ms) {
    if (ms < 0) return "-";
    if (ms < 1) return format("%.0fus", ms * 1000);
    if (ms < 100) return format("%.1fms", ms);
    if (ms < 1000) return format("%.0fms", ms);
    return format("%.1fs", ms / 1000);
}

// Returns whether there is room for the memory beside everything else.
bool shows_memory(size_t columns) { return columns >= kFixed + kProgramLeast + kMemory; }

size_t program_width(size_t columns) {
    if (shows_memory(columns)) columns -= kMemory;
    return columns > kFixed + kProgramLeast ? std::min<size_t>(columns - kFixed, 40) : kProgramLeast;
}

std::string named(const char* key) {
    const std::string text = heading_of(key);
    return text.starts_with('>') ? text.substr(1) : text;
}

std::string memory_heading(size_t columns) {
    if (!shows_memory(columns)) return "";
    return right(named("memory_on_card"), 6) + right(named("memory_on_host"), 8) + right(named("memory_limit"), 8) +
           right(named("memory_guarantee"), 9) + right(named("memory_swaps"), 6) + right(named("memory_waited_ms"), 7);
}

std::string memory_text(const TopRow& row, size_t columns) {
    if (!shows_memory(columns)) return "";
    return right(short_size(row.memory_on_card), 6) + right(short_size(row.memory_on_host), 8) +
           right(short_size(row.memory_limit), 8) + right(short_size(row.memory_guarantee), 9) +
           right(std::to_string(row.memory_swaps), 6) +
           right(row.memory_waited_ms > 0 ? short_length(row.memory_waited_ms) : "-", 7);
}

std::string heading(size_t columns) {
    return right(named("pid"), 7) + " " + left(named("program"), program_width(columns)) + " " +
           right(named("priority"), 4) + " " + left(named("state"), 5) + " " + right(named("share"), 3) + " " +
           left(named("got_percent"), 11) + " " + right(named("held_percent"), 5) + " " +
           right(named("preemptions_per_s"), 5) + " " + right(named("burst_p50_ms"), 6) + " " +
           right(named("burst_p99_ms"), 6) + memory_heading(columns) + " HISTORY";
}

std::string row_text(const TopRow& row, const TopView& view) {
    const std::string got = row.got < 0 ? left("", 11) : top_bar(row.got, 11, view.utf8);
    return right(std::to_string(row.pid), 7) + " " + left(row.program, program_width(view.columns)) + " " +
           right(std::to_string(row.priority), 4) + " " + left(row.state, 5) + " " +
           right(row.share > 0 ? std::to_string(row.share) : "-", 3) + " " + got + " " +
           right(format("%.0f", row.held), 5) + " " + right(format("%.0f", row.preemptions), 5) + " " +
           right(short_length(row.burst_p50_ms), 6) + " " + right(short_length(row.burst_p99_ms), 6) +
           memory_text(row, view.columns) + " " + top_history(row.history, kHistoryWidth, view.utf8);
}

TopMark mark_of(const TopRow& row, const TopView& view) {
    if (row.client == view.chosen) return TopMark::kChosen;
    if (row.state == "held" || row.state == "susp" || row.state == "stop") return TopMark::kHeld;
    return row.state == "idle" ? TopMark::kIdle : TopMark::kRuns;
}

std::string title(const TopRows& rows, const TopView& view) {
    std::string text = "xcli top - policy " + rows.policy() + ", " + std::to_string(rows.rows().size()) +
                       (rows.rows().size() == 1 ? " program" : " programs") + ", by " + top_sort_word(view.sort) +
                       (view.reverse ? " reversed" : "");
    if (!view.filter.empty()) text += ", only \"" + view.filter + "\"";
    return text;
}

std::string device_text(const TopDevice& device, const TopView& view) {
    return left(device.name, 26) + " " +
           (device.use < 0 ? "use not known yet" : top_bar(device.use, 25, view.utf8) + " %") + "  " +
           std::to_string(device.programs) + (device.programs == 1 ? " program" : " programs");
}

const std::vector<std::string>& help() {
    static const std::vector<std::string> kLines = {
        "PRIO     priority, larger is more urgent   SHR    percent of the device wanted",
        "GOT %    device time of the last second    HELD%  of that: suspended, with work",
        "PRE/S    holds in the last second          P50 P99  lengths of bursts of work",
        "HISTORY  GOT, a mark for each look       away   its memory is on the host",
        "if it is wide: MEM  memory on the device   MEM LIM  MEM GUAR  its limit, guarantee",
        "SWAPS    moves of it to the host           WAITED    time without it, or for room",
        "up down j k  choose a program              Enter its queues   e  explain it",
        "p priority   h share   P policy            z     suspend it, or resume it",
        "s  sort by the next column   r  reverse    /     only programs with this name",
        "q  quit   ? this help   Escape shows all   a change is asked for first: y"};
    return kLines;
}

// Says why the table is empty.
std::string none_shown(const TopRows& rows, const TopView& view) {
    const size_t all = rows.rows().size();
    if (all == 0) return "no program is scheduled: start one with 'xcli run -- PROGRAM'";
    return "no match: none of " + std::to_string(all) + (all == 1 ? " program" : " programs") + " has \"" +
           view.filter + "\" in its name or number (Escape shows all)";
}

// Returns the first row to show, so that the chosen one is among the `room` rows shown.
size_t first_shown(const std::vector<TopRow>& rows, uint32_t chosen, size_t room) {
    for (size_t i = 0; i < rows.size(); ++i)
        if (rows[i].client == chosen && i >= room) return i + 1 - room;
    return 0;
}

}  // namespace

std::string top_bar(double percent, size_t width, bool utf8) {
    const std::string number = right(format("%.0f", std::max(percent, 0.0)), 4);
    const size_t cells = width - number.size() - 2;
    const auto full =
        static_cast<size_t>(std::lround(std::clamp(percent, 0.0, 100.0) / 100 * static_cast<double>(cells)));
    std::string bar = "[";
    for (size_t i = 0; i < cells; ++i) bar += i < full ? (utf8 ? "■" : "#") : " ";
    return bar + "]" + number;
}

std::string top_history(const std::vector<double>& values, size_t width, bool utf8) {
    constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    constexpr const char* kLetters[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
    std::string text;
    for (size_t i = values.size() > width ? values.size() - width : 0; i < values.size(); ++i) {
        const auto step = static_cast<size_t>(std::clamp(values[i], 0.0, 99.9) / 100 * 8);
        text += (utf8 ? kBlocks : kLetters)[step];
    }
    return text;
}

std::vector<TopLine> top_picture(const TopRows& rows, const TopView& view) {
    std::vector<TopLine> lines{{title(rows, view), TopMark::kHeading}};
    for (const TopDevice& device : rows.devices()) lines.push_back({device_text(device, view), TopMark::kPlain});
    lines.push_back({heading(view.columns), TopMark::kHeading});
    const std::vector<std::string>& below = view.help ? help() : view.below;
    const size_t most_below = view.rows / 2;
    const size_t taken = lines.size() + std::min(below.size(), most_below) + 1;
    const size_t room = view.rows > taken ? view.rows - taken : 0;
    const auto shown = rows.sorted(view.sort, view.reverse, view.filter);
    const size_t first = first_shown(shown, view.chosen, room);
    for (size_t i = first; i < shown.size() && i < first + room; ++i)
        lines.push_back({row_text(shown[i], view), mark_of(shown[i], view)});
    if (shown.empty() && room > 0) lines.push_back({none_shown(rows, view), {}});
    for (size_t i = 0; i < std::min(below.size(), most_below); ++i) lines.push_back({below[i], TopMark::kPlain});
    if (lines.size() >= view.rows) lines.resize(view.rows > 0 ? view.rows - 1 : 0);
    while (lines.size() + 1 < view.rows) lines.push_back({});
    const size_t left_out = shown.size() > room ? shown.size() - room : 0;
    const std::string more = left_out > 0 ? std::to_string(left_out) + " more  " : "";
    if (view.rows > 0) lines.push_back({view.question.empty() ? more + kKeys : view.question, TopMark::kKeys});
    for (TopLine& line : lines) line.text = cut(line.text, view.columns);
    return lines;
}

std::string top_text(const TopRows& rows, TopView view) {
    view.rows = rows.rows().size() + rows.devices().size() + 4;
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
