// Text in aligned columns, for people. Any thread.
#pragma once

#include <string>
#include <vector>

namespace xsched::console {

class Table {
public:
    // Makes a table with these headings. A heading that starts with '>' is shown without it and aligned to the right.
    explicit Table(std::vector<std::string> headings);
    // Adds a row. `mark`: a number for the caller, who finds it again at the row's line.
    void add(std::vector<std::string> cells, int mark = 0);
    std::string text() const;
    struct Line {
        std::string text;
        int mark = 0;
    };
    std::vector<Line> lines() const;

private:
    std::vector<bool> right_;
    std::vector<std::vector<std::string>> rows_;  // headings first
    std::vector<int> marks_;
};

}  // namespace xsched::console
