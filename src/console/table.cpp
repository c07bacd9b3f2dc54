#include "console/table.h"

#include <algorithm>

namespace xsched::console {

Table::Table(std::vector<std::string> headings) {
    for (std::string& heading : headings) {
        const bool right = !heading.empty() && heading.front() == '>';
        right_.push_back(right);
        if (right) heading.erase(0, 1);
    }
    rows_.push_back(std::move(headings));
}

void Table::add(std::vector<std::string> cells) {
    cells.resize(right_.size());
    rows_.push_back(std::move(cells));
}

std::string Table::text() const {
    std::vector<size_t> widths(right_.size(), 0);
    for (const auto& row : rows_)
        for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string result;
    for (const auto& row : rows_) {
        std::string line;
        for (size_t i = 0; i < row.size(); ++i) {
            const std::string padding(widths[i] - row[i].size(), ' ');
            line += (i == 0 ? "" : "  ") + (right_[i] ? padding + row[i] : row[i] + padding);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        result += line + "\n";
    }
    return result;
}

}  // namespace xsched::console
