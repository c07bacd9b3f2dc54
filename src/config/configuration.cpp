#include "config/configuration.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/did_you_mean.h"
#include "base/hints.h"
#include "base/short_name.h"
#include "base/text.h"
#include "config/contradictions.h"
#include "config/group_setting.h"
#include "config/hint_text.h"
#include "config/latency_target.h"
#include "config/limit_setting.h"
#include "config/toml_text.h"

namespace xsched::config {
namespace {

// Returns what was probably meant by a key that the table does not have, as text behind a complaint.
std::string setting_meant(const std::string& table, const std::string& key) {
    for (const base::HintInfo& hint : base::kHints)
        if (key == hint.name || (hint.option != nullptr && base::same_word(hint.option, key.c_str())))
            return ": it is a hint, which a [[rule]] gives: " + std::string(hint.name);
    std::vector<std::string> keys;
    std::vector<std::string> variables;
    for (const Setting& one : settings()) {
        if (one.table != table && key == one.key) return ": write it in [" + one.table + "]";
        if (one.table != table) continue;
        keys.push_back(one.key);
        variables.push_back(one.variable);
    }
    if (!base::nearest(keys, key).empty()) return base::meant(keys, key);
    const std::string variable = base::nearest(variables, key);
    for (const Setting& one : settings())
        if (one.table == table && one.variable == variable) return base::meant({one.key}, one.key);
    return "";
}

// Returns whether the hint's variable may have this value.
bool is_understood(const base::HintInfo& hint, const std::string& value) {
    if (hint.kind == base::HintKind::kName && base::number_of_name(value) != 0) return true;
    int64_t number = 0;
    if (!read_number(value, &number) || number < hint.least || number > hint.most) return false;
    return hint.kind != base::HintKind::kTarget || !is_below_alone(number);
}

// Adds one file. Each function reads one kind of table.
class FileReader {
public:
    FileReader(Configuration& to, const File& file) : to_(to), file_(file) {}

    void read() {
        const Node root = read_toml(file_.text, file_.path, to_.problems);
        for (const Node& child : root.children) read_top(child);
    }

private:
    std::string place(const Node& at) const { return file_.path + ":" + std::to_string(at.line); }
    void say(const Node& at, const std::string& sentence) { to_.problems.push_back({place(at), sentence}); }
    void remark(const Node& at, const std::string& sentence) {
        if (!sentence.empty()) to_.problems.push_back({place(at), sentence, true});
    }
    bool is_table(const Node& node) {
        if (node.kind != Node::Kind::kTable) say(node, node.key + " is to be a table: write [" + node.key + "]");
        return node.kind == Node::Kind::kTable;
    }
    void read_top(const Node& child);
    void read_settings(const Node& table);
    void compare_settings(const Node& table);
    void read_limits(const Node& table);
    void read_limits_of(const Node& table, const std::string& whose);
    void read_limit(const Node& value, const std::string& whose);
    void read_rules(const Node& list);

    Configuration& to_;
    const File& file_;
};

void FileReader::read_top(const Node& child) {
    if (child.key == "server" || child.key == "options") return read_settings(child);
    if (child.key == "limits") return read_limits(child);
    if (child.key == "rule") return read_rules(child);
    say(child, "there is no \"" + child.key + "\": use [server], [options], [limits] and [[rule]]" +
                   base::meant({"server", "options", "limits", "rule"}, child.key));
}

void FileReader::read_settings(const Node& table) {
    if (!is_table(table)) return;
    for (const Node& child : table.children) {
        const Setting* setting = find_setting(table.key, canonical(child.key));
        if (setting == nullptr) {
            say(child,
                "[" + table.key + "] has no \"" + child.key + "\"" + setting_meant(table.key, canonical(child.key)));
            continue;
        }
        std::string text = child.text;
        if (setting->is_switch() && child.kind == Node::Kind::kSwitch) text = text == "true" ? "1" : "0";
        const std::string wrong = child.is_value() ? complaint(*setting, text) : setting->key + " is to be one value";
        if (wrong.empty())
            to_.settings[setting->name()] = {text, place(child)};
        else
            say(child, wrong);
    }
    compare_settings(table);
}

// Says which setting has no effect beside another one, if the table has one of the two.
void FileReader::compare_settings(const Node& table) {
    const auto has_one_of = [&](const std::string& one, const std::string& other) {
        const auto is_it = [&](const Node& child) {
            return canonical(child.key) == one || canonical(child.key) == other;
        };
        return std::any_of(table.children.begin(), table.children.end(), is_it);
    };
    const auto number = [this](const char* name) { return strtoll(to_.text(name).c_str(), nullptr, 10); };
    if (has_one_of("policy", "policy_expr") && to_.settings.contains("server.policy") &&
        to_.settings.contains("server.policy_expr"))
        say(table, "policy has no effect beside policy_expr: leave out one of them");
    const int64_t threshold = number("options.threshold");
    if (has_one_of("threshold", "batch_size") && threshold > 0 && number("options.batch_size") > threshold)
        say(table, "batch_size is larger than threshold: a batch is at most the threshold");
}

void FileReader::read_limits(const Node& table) {
    if (file_.is_users) return say(table, "limits are the administrator's: they do not count in a user's file");
    if (!is_table(table)) return;
    for (const Node& child : table.children) {
        const bool is_nested = child.key == "user" || child.key == "cgroup";
        if (!is_nested && child.kind == Node::Kind::kTable) {
            say(child, "[limits] has no table \"" + child.key + "\": use [limits.user.NAME] and [limits.cgroup.PATH]" +
                           base::meant({"user", "cgroup"}, child.key));
            continue;
        }
        if (!is_nested) {
            read_limit(child, "");
            continue;
        }
        if (!is_table(child)) continue;
        for (const Node& whose : child.children) read_limits_of(whose, whose.key);
    }
}

void FileReader::read_limits_of(const Node& table, const std::string& whose) {
    if (!is_table(table)) return;
    for (const Node& child : table.children) read_limit(child, whose + ":");
}

void FileReader::read_limit(const Node& value, const std::string& whose) {
    std::string key = value.key;
    for (char& letter : key)
        if (letter == '_') letter = '-';
    const std::string text = whose + key + "=" + value.text;
    try {
        if (is_about_group(text))
            read_group_setting(text);
        else
            config::read_limit(text, true);
        if (key.starts_with("memory-")) remark(value, few_bytes(value.key + " = ", value.text));
        to_.limits[whose + key] = {value.text, place(value)};
    } catch (const std::runtime_error& error) {
        say(value, error.what());
    }
}

void FileReader::read_rules(const Node& list) {
    if (list.kind != Node::Kind::kList) return say(list, "rules are a list: write [[rule]]");
    for (const Node& child : list.children) {
        if (child.kind != Node::Kind::kTable) {
            say(child, "rules are tables: write [[rule]]");
            continue;
        }
        std::optional<Rule> rule = read_rule(child, file_.path, file_.is_users, to_.problems);
        if (!rule) continue;
        for (const Contradiction& one : contradictions(rule->hints, rule_key)) remark(child, one.sentence);
        for (const base::HintInfo& hint : base::kHints)
            if (const auto given = rule->hints[static_cast<size_t>(hint.id)];
                hint.kind == base::HintKind::kBytes && given.value_or(0) != 0)
                remark(child, few_bytes(rule_key(hint) + " = ", std::to_string(*given)));
        if (file_.is_users) to_.users_rules.push_back(*rule);
        to_.rules.push_back(std::move(*rule));
    }
}

}  // namespace

Value Configuration::value(const Setting& setting) const {
    const auto found = settings.find(setting.name());
    return found != settings.end() ? found->second : Value{setting.fallback, ""};
}

std::string Configuration::text(const std::string& name) const {
    for (const Setting& setting : config::settings())
        if (setting.name() == name) return value(setting).text;
    return "";
}

bool Configuration::is_wrong() const {
    return !std::all_of(problems.begin(), problems.end(), [](const Problem& one) { return one.is_remark; });
}

std::string Configuration::complaints() const {
    std::string text;
    for (const Problem& problem : problems) text += problem.text() + "\n";
    return text;
}

void add_file(Configuration& configuration, const File& file) {
    const size_t before = configuration.problems.size();
    FileReader(configuration, file).read();
    const auto line_of = [](const Problem& problem) {
        return strtoul(problem.place.c_str() + problem.place.rfind(':') + 1, nullptr, 10);
    };
    std::stable_sort(configuration.problems.begin() + static_cast<ptrdiff_t>(before), configuration.problems.end(),
                     [&](const Problem& one, const Problem& other) { return line_of(one) < line_of(other); });
}

void add_environment(Configuration& configuration) {
    for (const Setting& setting : settings()) {
        const char* value = secure_getenv(setting.variable.c_str());
        if (value == nullptr || *value == '\0') continue;
        const std::string wrong = complaint(setting, value);
        if (wrong.empty())
            configuration.settings[setting.name()] = {value, setting.variable};
        else
            configuration.problems.push_back({setting.variable, wrong});
    }
    for (const base::HintInfo& hint : base::kHints) {
        const char* value = hint.option != nullptr ? secure_getenv(hint.option) : nullptr;
        if (value == nullptr || *value == '\0' || is_understood(hint, value)) continue;
        configuration.problems.push_back(
            {hint.option, std::string(hint.name) + " is to be " + wanted_of(hint) + ", not \"" + value + "\""});
    }
}

Configuration read_configuration(const Folders& folders) {
    Configuration configuration;
    for (const File& file : read_files(folders, configuration.problems)) add_file(configuration, file);
    add_environment(configuration);
    return configuration;
}

void put_into_environment(const Configuration& configuration) {
    for (const Problem& problem : configuration.problems) unsetenv(problem.place.c_str());  // no file is a variable
    for (const Setting& setting : settings()) {
        const auto found = configuration.settings.find(setting.name());
        if (setting.table == "options" && found != configuration.settings.end())
            setenv(setting.variable.c_str(), found->second.text.c_str(), 0);
    }
}

}  // namespace xsched::config
