// Text in aligned columns, for people. Any thread.
#pragma once

#include <string>
#include <vector>

namespace xsched::console {

class Table {
public:
    // A heading that starts with '>' is aligned to the right (without the '>').
    explicit Table(std::vector<std::string> headings);
    void add(std::vector<std::string> cells);
    std::string text() const;

private:
    std::vector<bool> right_;
    std::vector<std::vector<std::string>> rows_;  // headings first
};

}  // namespace xsched::console
