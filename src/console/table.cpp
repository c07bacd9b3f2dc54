#include "console/table.h"

#include <algorithm>

#include "console/columns.h"

namespace xsched::console {

Table::Table(std::vector<std::string> headings) {
    for (std::string& heading : headings) {
        const bool right = !heading.empty() && heading.front() == '>';
        right_.push_back(right);
        if (right) heading.erase(0, 1);
    }
    rows_.push_back(std::move(headings));
    marks_.push_back(0);
}

void Table::add(std::vector<std::string> cells, int mark) {
    cells.resize(right_.size());
    rows_.push_back(std::move(cells));
    marks_.push_back(mark);
}

std::vector<Table::Line> Table::lines() const {
    std::vector<size_t> widths(right_.size(), 0);
    for (const auto& row : rows_)
        for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
    std::vector<Line> lines;
    for (size_t at = 0; at < rows_.size(); ++at) {
        std::string line;
        for (size_t i = 0; i < rows_[at].size(); ++i) {
            const std::string& cell = rows_[at][i];
            const std::string padding(widths[i] - columns_of(cell), ' ');
            line += (i == 0 ? "" : "  ") + (right_[i] ? padding + cell : cell + padding);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        lines.push_back({std::move(line), marks_[at]});
    }
    return lines;
}

std::string Table::text() const {
    std::string result;
    for (const Line& line : lines()) result += line.text + "\n";
    return result;
}

}  // namespace xsched::console
