#include "console/fold.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "console/columns.h"

namespace xsched::console {
namespace {

constexpr size_t kLeastWidth = 40;   // columns; if the output has fewer, its text is not folded
constexpr size_t kLeastColumn = 24;  // columns that the last column of a table needs
constexpr size_t kMore = 4;          // extra indentation of a continued line

size_t hanging_indent(std::string_view line, size_t width) {
    const size_t first = line.find_first_not_of(' ');
    for (size_t at = line.rfind("  "); at != std::string_view::npos && at > first; at = line.rfind("  ", at - 1)) {
        if (line[at + 2] == ' ') continue;  // not at the end of a gap of several spaces yet
        const size_t columns = columns_of(line.substr(0, at + 2));
        if (columns + kLeastColumn <= width) return columns;
    }
    return first + kMore + kLeastColumn <= width ? first + kMore : first;
}

// Returns the position of the last space at which the line may be broken; npos if there is none: the line then stays
// too long.
size_t break_of(std::string_view line, size_t indent, size_t width) {
    size_t found = std::string_view::npos;
    size_t columns = 0;
    for (size_t at = 0; at < line.size();) {
        if (line[at] == ' ' && columns > indent && line[at - 1] != ' ') {
            if (columns <= width || found == std::string_view::npos) found = at;
        }
        const Step step = step_at(line, at);
        columns += step.columns;
        if (columns > width && found != std::string_view::npos) break;
        at += step.bytes;
    }
    return found;
}

std::string folded_line(std::string line, size_t width) {
    std::string text;
    const size_t indent = columns_of(line) > width ? hanging_indent(line, width) : 0;
    size_t used = line.find_first_not_of(' ');  // skips the indentation, where a line is not broken
    while (columns_of(line) > width) {
        const size_t at = break_of(line, used, width);
        if (at == std::string::npos) break;
        text += line.substr(0, at) + "\n";
        line = std::string(indent, ' ') + line.substr(std::min(line.find_first_not_of(' ', at), line.size()));
        used = indent;
    }
    return text + line;
}

size_t width_of(int file) {
    winsize size{};
    if (isatty(file) == 1 && ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    const char* columns = getenv("COLUMNS");
    return columns != nullptr ? strtoul(columns, nullptr, 10) : 0;
}

}  // namespace

size_t text_width() { return width_of(STDOUT_FILENO); }

void print_error(const char* format, ...) {
    va_list values;
    va_start(values, format);
    va_list again;
    va_copy(again, values);
    const int bytes = vsnprintf(nullptr, 0, format, values);
    std::string text(static_cast<size_t>(std::max(bytes, 0)) + 1, '\0');
    vsnprintf(text.data(), text.size(), format, again);
    va_end(again);
    va_end(values);
    text.pop_back();
    fputs(folded(text, width_of(STDERR_FILENO)).c_str(), stderr);
}

std::string folded(const std::string& text, size_t width) {
    if (width < kLeastWidth) return text;
    std::string result;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        result += folded_line(text.substr(at, end - at), width);
        if (end < text.size()) result += "\n";
        at = end + 1;
    }
    return result;
}

}  // namespace xsched::console
