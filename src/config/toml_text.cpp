#include "config/toml_text.h"

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string_view>

#include "base/text.h"
#include "base/toml_library.h"
#include "config/hint_text.h"
#include "config/settings.h"

namespace xsched::config {
namespace {

// Most lines of one file that may be unreadable before nothing of the file counts. "Safety": each costs a reading of
// the whole file.
constexpr int kMostBadLines = 16;

std::string text_of_number(double number) {
    char text[32];
    snprintf(text, sizeof(text), "%.15g", number);
    return text;
}

Node node_of(const toml::node& from, std::string key) {
    Node node{.key = std::move(key), .kind = Node::Kind::kOther, .text = {}, .line = from.source().begin.line};
    if (const toml::table* table = from.as_table()) {
        node.kind = Node::Kind::kTable;
        for (const auto& [name, value] : *table) node.children.push_back(node_of(value, std::string(name.str())));
    } else if (const toml::array* list = from.as_array()) {
        node.kind = Node::Kind::kList;
        for (const toml::node& value : *list) node.children.push_back(node_of(value, ""));
    } else if (const auto* text = from.as_string()) {
        node.kind = Node::Kind::kText;
        node.text = text->get();
    } else if (const auto* whole = from.as_integer()) {
        node.kind = Node::Kind::kNumber;
        node.text = std::to_string(whole->get());
    } else if (const auto* number = from.as_floating_point()) {
        node.kind = Node::Kind::kNumber;
        node.text = text_of_number(number->get());
    } else if (const auto* on = from.as_boolean()) {
        node.kind = Node::Kind::kSwitch;
        node.text = on->get() ? "true" : "false";
    }
    return node;
}

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
    Lines lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::string joined(const Lines& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

std::string trimmed(const std::string& line) {
    const size_t begin = line.find_first_not_of(" \t");
    const size_t end = line.find_last_not_of(" \t\r");
    return begin == std::string::npos ? "" : line.substr(begin, end - begin + 1);
}

bool begins_table(const std::string& line) { return trimmed(line).rfind('[', 0) == 0; }

// Returns the value of a switch that a word means; empty: it means none.
std::string switch_meant(const std::string& word) {
    const auto is_it = [&word](const char* one) { return base::same_word(one, word.c_str()); };
    constexpr const char* kOn[] = {"true", "yes", "on"};
    constexpr const char* kOff[] = {"false", "no", "off"};
    if (std::any_of(std::begin(kOn), std::end(kOn), is_it)) return "true";
    return std::any_of(std::begin(kOff), std::end(kOff), is_it) ? "false" : "";
}

bool is_switch(const std::string& key) {
    const auto& all = settings();
    return key == "never" ||
           std::any_of(std::begin(base::kHints), std::end(base::kHints),
                       [&key](const base::HintInfo& hint) {
                           return key == hint.name && hint.kind == base::HintKind::kSwitch;
                       }) ||
           std::any_of(all.begin(), all.end(),
                       [&key](const Setting& setting) { return key == setting.key && setting.is_switch(); });
}

// Returns why a hint or setting refuses the value as a text; empty: it takes it, or there is no such key.
std::string refusal(const std::string& key, const std::string& value) {
    std::string sentence;
    for (const base::HintInfo& hint : base::kHints)
        if (key == hint.name) read_hint(hint, {.key = key, .kind = Node::Kind::kText, .text = value}, &sentence);
    for (const Setting& setting : settings())
        if (key == setting.key) sentence = complaint(setting, value);
    return sentence;
}

// Returns advice for a line of which the value cannot be read: the same line as it can be read, or what its key takes.
// Empty: the line has another error.
std::string advice(const std::string& line) {
    const size_t equals = line.find('=');
    if (equals == std::string::npos || begins_table(line)) return "";
    const std::string key = trimmed(line.substr(0, equals));
    const std::string value = trimmed(line.substr(equals + 1));
    if (value.empty() || value.find_first_of("\"'[]{}#") != std::string::npos) return "";
    const std::string name = canonical(key);
    if (is_switch(name)) {
        const std::string meant = switch_meant(value);
        return ": write " + key + " = " + (meant.empty() ? "true, or " + key + " = false" : meant);
    }
    if (const std::string refused = refusal(name, value); !refused.empty()) return ": " + refused;
    return ": write " + key + " = \"" + value + "\"";
}

// Empties a line that cannot be read, and its table if it begins one or is in a list of tables. Returns whether it is
// the table.
bool leave_out(Lines& lines, size_t bad) {
    size_t begin = bad;
    while (begin > 0 && !begins_table(lines[begin])) --begin;
    const bool whole = begin == bad ? begins_table(lines[bad]) : trimmed(lines[begin]).rfind("[[", 0) == 0;
    if (!whole) {
        lines[bad].clear();
        return false;
    }
    size_t end = begin + 1;
    while (end < lines.size() && !begins_table(lines[end])) ++end;
    for (size_t at = begin; at < end; ++at) lines[at].clear();
    return true;
}

}  // namespace

Node read_toml(std::string text, const std::string& file, std::vector<Problem>& problems) {
    Lines lines = lines_of(text);
    for (int tries = 0; tries <= kMostBadLines; ++tries) {
        const toml::parse_result result = toml::parse(std::string_view(text), std::string_view(file));
        if (result) return node_of(result.table(), "");
        const toml::source_position at = result.error().source().begin;
        const size_t bad = std::min<size_t>(at.line > 0 ? at.line - 1 : 0, lines.empty() ? 0 : lines.size() - 1);
        if (lines.empty()) break;
        std::string sentence =
            "this is no TOML (" + std::string(result.error().description()) + ")" + advice(lines[bad]);
        base::replace_controls(sentence.data(), sentence.size());
        const bool was_empty = lines[bad].empty();
        if (leave_out(lines, bad)) sentence += "; the table around it does not count";
        problems.push_back({file + ":" + std::to_string(bad + 1), sentence});
        if (was_empty) break;
        text = joined(lines);
    }
    problems.push_back({file, "too little of it can be read: nothing of this file counts"});
    return {};
}

}  // namespace xsched::config
