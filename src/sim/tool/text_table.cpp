#include "sim/tool/text_table.h"

#include <algorithm>
#include <cstdio>

namespace xsched::sim::tool {

std::string TextTable::text() const {
    std::vector<size_t> widths;
    for (const auto& row : rows_) {
        widths.resize(std::max(widths.size(), row.size()));
        for (size_t at = 0; at < row.size(); ++at) widths[at] = std::max(widths[at], row[at].size());
    }
    std::string text;
    for (const auto& row : rows_) {
        std::string line;
        for (size_t at = 0; at < row.size(); ++at) {
            const std::string blanks(widths[at] - row[at].size(), ' ');
            line += at == 0 ? row[at] + blanks : "  " + blanks + row[at];
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string number(double value, int digits) {
    char text[64];
    snprintf(text, sizeof(text), "%.*f", digits, value);
    return text;
}

std::string percent(double part) { return number(part * 100) + "%"; }

}  // namespace xsched::sim::tool
