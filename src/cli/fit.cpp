#include "cli/fit.h"

#include <sstream>

#include "console/columns.h"

namespace xsched::cli {
namespace {

constexpr size_t kIndent = 4;  // of a continued line

}  // namespace

std::string cut(const std::string& line, size_t columns) { return line.substr(0, console::bytes_in(line, columns)); }

std::vector<std::string> wrapped(const std::string& line, size_t columns) {
    std::vector<std::string> lines;
    const size_t begin = line.find_first_not_of(' ');
    const std::string indent((begin == std::string::npos ? 0 : begin) + kIndent, ' ');
    std::string rest = line;
    for (;;) {
        const size_t fits = console::bytes_in(rest, columns);
        if (fits == rest.size()) break;
        const size_t text = rest.find_first_not_of(' ');
        size_t space = rest.rfind(' ', fits);
        if (space == std::string::npos || space <= text || indent.size() >= columns) space = fits;  // one long word
        lines.push_back(rest.substr(0, space));
        lines.back().erase(lines.back().find_last_not_of(' ') + 1);
        const size_t next = rest.find_first_not_of(' ', space);
        if (next == std::string::npos) return lines;
        rest = (indent.size() < columns ? indent : std::string()) + rest.substr(next);
    }
    lines.push_back(rest);
    return lines;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

}  // namespace xsched::cli
