// The width of text on a terminal: how many columns its letters take. Text is UTF-8. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace xsched::console {

// One step through a text, over a letter or a sequence that sets the colour. Letters of Chinese, Japanese and Korean
// take two columns, marks above a letter and colours none.
struct Step {
    size_t bytes;
    size_t columns;
};
Step step_at(std::string_view text, size_t at);

size_t columns_of(std::string_view text);
// Returns how many bytes of the text take at most so many columns.
size_t bytes_in(std::string_view text, size_t columns);

// Returns the text cut, or filled with spaces, to that many columns. '~' stands for what was cut.
std::string left(const std::string& text, size_t columns);
std::string right(const std::string& text, size_t columns);

}  // namespace xsched::console
