// Text in aligned columns, for people. Any thread.
#pragma once

#include <string>
#include <vector>

namespace xsched::console {

class Table {
public:
    // A heading that starts with '>' is aligned to the right (without the '>').
    explicit Table(std::vector<std::string> headings);
    // `mark`: a number for whoever prints the lines.
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
