// Extended regular expressions as regcomp(3) has them, with \d for a digit, and "." for all but a line's end.
// std::regex takes the compiler five seconds in each file.
#pragma once

#include <gtest/gtest.h>
#include <regex.h>

#include <string>
#include <string_view>
#include <vector>

namespace xsched::test {

class Pattern {
public:
    using Found = std::vector<std::string>;  // all of it, and its groups; empty: nothing was found

    explicit Pattern(const std::string& text) {
        EXPECT_EQ(regcomp(&compiled_, translated(text).c_str(), REG_EXTENDED), 0) << text;
    }
    ~Pattern() { regfree(&compiled_); }
    Pattern(const Pattern&) = delete;
    Pattern& operator=(const Pattern&) = delete;

    Found first_in(const std::string& text) const {
        const std::vector<Found> found = in(text, 1);
        return found.empty() ? Found() : found[0];
    }
    std::vector<Found> all_in(const std::string& text) const { return in(text, text.size()); }
    bool is_in(const std::string& text) const { return !first_in(text).empty(); }
    bool is_all_of(const std::string& text) const {
        regmatch_t whole;
        return regexec(&compiled_, text.c_str(), 1, &whole, 0) == 0 && whole.rm_so == 0 &&
               static_cast<size_t>(whole.rm_eo) == text.size();
    }

private:
    static std::string translated(const std::string& text) {
        std::string result;
        bool in_brackets = false;
        for (size_t at = 0; at < text.size(); ++at) {
            const std::string_view next = std::string_view(text).substr(at, 2);
            if (next == "\\d" || next == "\\n") {
                result += next == "\\n" ? "\n" : "[0-9]";
                ++at;
            } else if (next[0] == '\\') {
                result += next;
                ++at;
            } else if (next[0] == '.' && !in_brackets) {
                result += "[^\n]";
            } else {
                if (next[0] == '[' || next[0] == ']') in_brackets = next[0] == '[';
                result += next[0];
            }
        }
        return result;
    }
    std::vector<Found> in(const std::string& text, size_t most) const {
        constexpr size_t kGroups = 8;
        std::vector<Found> found;
        regmatch_t groups[kGroups];
        for (const char* at = text.c_str(); found.size() < most; at += groups[0].rm_eo) {
            if (regexec(&compiled_, at, kGroups, groups, at == text.c_str() ? 0 : REG_NOTBOL) != 0) break;
            if (groups[0].rm_eo == groups[0].rm_so) break;
            found.emplace_back();
            for (const regmatch_t& group : groups)
                if (group.rm_so >= 0)
                    found.back().emplace_back(at + group.rm_so, static_cast<size_t>(group.rm_eo - group.rm_so));
        }
        return found;
    }

    regex_t compiled_{};
};

}  // namespace xsched::test
