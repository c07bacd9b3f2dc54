// Text in aligned columns, for people. Any thread.
#pragma once

#include <string>
#include <vector>

namespace xsched::sim::tool {

class TextTable {
public:
    explicit TextTable(std::vector<std::string> headings) { rows_.push_back(std::move(headings)); }
    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    // The first column to the left, all others to the right.
    std::string text() const;

private:
    std::vector<std::vector<std::string>> rows_;
};

std::string number(double value, int digits = 1);
std::string percent(double part);

}  // namespace xsched::sim::tool
