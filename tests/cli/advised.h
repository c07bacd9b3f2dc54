// The commands that an advice of xcli explain names.
#pragma once

#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace xsched::test {

// Returns the commands in an advice, each as its words. Words in capitals stand for values.
inline std::vector<std::vector<std::string>> commands_of(const std::string& advice) {
    static const std::regex command(R"((xcli|renice|kill) ([^,;):]|:(?! ))+)");
    std::vector<std::vector<std::string>> commands;
    for (std::sregex_iterator at(advice.begin(), advice.end(), command), end; at != end; ++at) {
        std::istringstream text(at->str());
        commands.emplace_back(std::istream_iterator<std::string>(text), std::istream_iterator<std::string>());
    }
    return commands;
}

inline void fill_in(std::vector<std::string>& words, const std::string& value) {
    static const std::regex meant("PERCENT|TIME|NUMBER|QUEUE");
    for (std::string& word : words) word = std::regex_replace(word, meant, value);
}

}  // namespace xsched::test
