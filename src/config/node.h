// A configuration as a tree of texts: the result of reading a file, or what a tool sends. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xsched::config {

struct Node {
    enum class Kind { kNumber, kSwitch, kText, kList, kTable, kOther };

    std::string key;  // "" in a list
    Kind kind = Kind::kTable;
    std::string text;  // of a number, a switch (true or false) or a text
    uint32_t line = 0;
    std::vector<Node> children;  // of a list or a table

    bool is_value() const { return kind == Kind::kNumber || kind == Kind::kSwitch || kind == Kind::kText; }
    const Node* find(const std::string& name) const {
        for (const Node& child : children)
            if (child.key == name) return &child;
        return nullptr;
    }
};

// Something in a configuration that does not count, and what would be right.
struct Problem {
    std::string place;  // "FILE:LINE", or a variable
    std::string sentence;
    bool is_remark = false;  // all that is written counts; some of it has no effect
    std::string text() const { return place + ": " + sentence; }
};

}  // namespace xsched::config
