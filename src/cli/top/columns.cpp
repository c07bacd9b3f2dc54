#include "cli/top/columns.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <vector>

#include "cli/fields.h"
#include "cli/known_by.h"
#include "cli/size_text.h"
#include "console/columns.h"

namespace xsched::cli {
namespace {

constexpr size_t kProgramLeast = 10;
constexpr size_t kHistoryWidth = 8;
constexpr size_t kCommandColumns = 40;  // more than a name needs (judgement)

std::string in_format(const char* pattern, double number) {
    char text[32];
    snprintf(text, sizeof(text), pattern, number);
    return text;
}

// Returns at most four digits and a unit: "812us", "2.1ms", "1.5s".
std::string short_length(double ms) {
    if (ms < 0) return "-";
    if (ms < 1) return in_format("%.0fus", ms * 1000);
    if (ms < 100) return in_format("%.1fms", ms);
    if (ms < 1000) return in_format("%.0fms", ms);
    return in_format("%.1fs", ms / 1000);
}

// Returns the latency target as text: a length of time, or a multiple of the latency that the program has alone.
std::string target_of(const TopRow& row) {
    if (row.slo_p99 == 0) return "-";
    return row.slo_p99 > 0 ? short_length(static_cast<double>(row.slo_p99) / 1000)
                           : in_format("%.2gx", static_cast<double>(-row.slo_p99) / 100);
}

// Returns the 99th percentile of its bursts, with a mark if that is over its target.
std::string p99_of(const TopRow& row) {
    const bool over = row.slo_p99 > 0 && row.burst_p99_ms * 1000 > static_cast<double>(row.slo_p99);
    return (over ? "!" : "") + short_length(row.burst_p99_ms);
}

// One column. It is shown in windows of at least `from` columns, and only where `is_needed`.
struct TopColumn {
    const char* key;  // of fields.def, which has its heading
    size_t width;
    size_t from;
    std::string (*text)(const TopRow& row, const TopView& view);
    bool (*is_needed)(const TopRow& row) = nullptr;  // of any row; null: always
};

// Returns the command line, without the folder of its program.
std::string command_of(const TopRow& row) {
    const size_t name = row.command.rfind('/', row.command.find(' '));
    return name == std::string::npos ? row.command : row.command.substr(name + 1);
}

bool has_memory(const TopRow& row) {
    return row.memory_on_card != 0 || row.memory_on_host != 0 || row.memory_limit != 0 || row.memory_guarantee != 0;
}
bool has_target(const TopRow& row) { return row.slo_p99 != 0; }
bool has_place(const TopRow& row) { return !row.place.empty(); }

constexpr TopColumn kTopColumns[] = {
    {"pid", 7, 0, [](const TopRow& row, const TopView&) { return std::to_string(row.pid); }},
    {"user", 8, 100, [](const TopRow& row, const TopView&) { return row.user; }},
    {"place", 18, 120, [](const TopRow& row, const TopView&) { return row.place; }, has_place},
    {"program", 0, 0,
     [](const TopRow& row, const TopView& view) { return view.commands ? command_of(row) : row.program; }},
    {"priority", 4, 0, [](const TopRow& row, const TopView&) { return std::to_string(row.priority); }},
    {"state", 9, 0, [](const TopRow& row, const TopView&) { return row.state; }},
    {"share", 3, 76,
     [](const TopRow& row, const TopView&) { return row.wanted > 0 ? std::to_string(row.wanted) : std::string("-"); }},
    {"got_percent", 11, 0,
     [](const TopRow& row, const TopView& view) {
         return row.got < 0 ? std::string() : top_bar(row.got, 11, view.utf8);
     }},
    {"held_percent", 5, 0, [](const TopRow& row, const TopView&) { return in_format("%.0f", row.held); }},
    {"preemptions_per_s", 5, 88, [](const TopRow& row, const TopView&) { return in_format("%.0f", row.preemptions); }},
    {"burst_p50_ms", 6, 95, [](const TopRow& row, const TopView&) { return short_length(row.burst_p50_ms); }},
    {"burst_p99_ms", 7, 0, [](const TopRow& row, const TopView&) { return p99_of(row); }},
    {"slo_p99", 6, 80, [](const TopRow& row, const TopView&) { return target_of(row); }, has_target},
    {"memory_on_card", 5, 80, [](const TopRow& row, const TopView&) { return short_size(row.memory_on_card); },
     has_memory},
    {"memory_on_host", 7, 110, [](const TopRow& row, const TopView&) { return short_size(row.memory_on_host); },
     has_memory},
    {"memory_limit", 7, 110, [](const TopRow& row, const TopView&) { return short_size(row.memory_limit); },
     has_memory},
    {"memory_guarantee", 8, 140, [](const TopRow& row, const TopView&) { return short_size(row.memory_guarantee); },
     has_memory},
    {"memory_swaps", 5, 140, [](const TopRow& row, const TopView&) { return std::to_string(row.memory_swaps); },
     has_memory},
    {"memory_waited_ms", 6, 140,
     [](const TopRow& row, const TopView&) {
         return row.memory_waited_ms > 0 ? short_length(row.memory_waited_ms) : std::string("-");
     },
     has_memory},
    {"HISTORY", kHistoryWidth, 72,
     [](const TopRow& row, const TopView& view) { return top_history(row.history, kHistoryWidth, view.utf8); }},
};

// Command lines get the room of the columns that a narrow window has not.
bool is_shown(const TopColumn& column, const TopRows& rows, const TopView& view) {
    if (view.columns < column.from + (view.commands && column.from != 0 ? kCommandColumns : 0)) return false;
    const auto& all = rows.rows();
    return column.is_needed == nullptr || std::any_of(all.begin(), all.end(), column.is_needed);
}

std::string shown_heading(const TopColumn& column) {
    const std::string heading = heading_of(column.key);
    return heading.starts_with('>') ? heading.substr(1) : heading;
}

const TopColumn& column_of(TopSort sort) {
    constexpr const char* kKeys[] = {"pid",          "program",           "priority",    "got_percent",
                                     "held_percent", "preemptions_per_s", "burst_p99_ms"};
    const char* key = kKeys[static_cast<size_t>(sort)];
    return *std::find_if(std::begin(kTopColumns), std::end(kTopColumns),
                         [key](const TopColumn& column) { return strcmp(column.key, key) == 0; });
}

// Joins the cells of the columns that the window has. The program's gets what the others leave.
template <typename Text>
std::string line_of(const TopRows& rows, const TopView& view, const Text& text) {
    std::vector<const TopColumn*> shown;
    size_t taken = 0;
    for (const TopColumn& column : kTopColumns) {
        if (!is_shown(column, rows, view)) continue;
        taken += column.width + (shown.empty() ? 0 : 1);
        shown.push_back(&column);
    }
    const size_t rest = view.columns > taken + kProgramLeast ? view.columns - taken : kProgramLeast;
    std::string line;
    for (const TopColumn* column : shown) {
        const size_t width = column->width == 0 ? rest : column->width;
        const bool right = heading_of(column->key).starts_with('>') && strcmp(column->key, "got_percent") != 0;
        const std::string cell = text(*column, width);
        line += (line.empty() ? "" : " ") + (right ? console::right(cell, width) : console::left(cell, width));
    }
    return line;
}

}  // namespace

std::string top_bar(double percent, size_t width, bool utf8) {
    const std::string number = console::right(in_format("%.0f", std::max(percent, 0.0)), 4);
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

std::string top_headings(const TopRows& rows, const TopView& view) {
    return line_of(rows, view, [](const TopColumn& column, size_t) { return shown_heading(column); });
}

std::string top_heading(TopSort sort) { return shown_heading(column_of(sort)); }

bool top_shows(TopSort sort, const TopRows& rows, const TopView& view) { return is_shown(column_of(sort), rows, view); }

std::string top_line(const TopRows& rows, const TopRow& row, const TopView& view, size_t indent) {
    return line_of(rows, view, [&](const TopColumn& column, size_t width) {
        const std::string text = column.text(row, view);
        if (column.width != 0) return text;
        return std::string(indent, ' ') + (view.commands ? text : short_name(text, width - std::min(width, indent)));
    });
}

}  // namespace xsched::cli
