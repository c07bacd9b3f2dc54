#include "config/rule.h"

#include <pwd.h>

#include <algorithm>
#include <iterator>

#include "base/did_you_mean.h"
#include "base/interpreters.h"
#include "config/contradictions.h"
#include "config/group_setting.h"
#include "config/hint_text.h"
#include "config/limit_setting.h"
#include "config/pattern.h"
#include "config/settings.h"

namespace xsched::config {
namespace {

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool fits_one(const std::vector<std::string>& patterns, const std::vector<std::string>& texts) {
    if (patterns.empty()) return true;
    return std::any_of(patterns.begin(), patterns.end(), [&texts](const std::string& pattern) {
        return std::any_of(texts.begin(), texts.end(),
                           [&pattern](const std::string& text) { return fits_pattern(pattern, text); });
    });
}

bool is_in_group(const std::vector<std::string>& groups, const std::string& path) {
    if (groups.empty()) return true;
    return std::any_of(groups.begin(), groups.end(), [&path](const std::string& group) {
        return fits_pattern(group, path) || fits_pattern(group == "/" ? "/*" : group + "/*", path);
    });
}

// Reads the keys of one rule.
class Reader {
public:
    Reader(const Node& node, const std::string& file, bool is_users, std::vector<Problem>& problems)
        : node_(node), file_(file), is_users_(is_users), problems_(problems) {}

    std::optional<Rule> read() {
        rule_.place = file_ + ":" + std::to_string(node_.line);
        rule_.source = node_;
        rule_.source.children.clear();
        for (const Node& child : node_.children) {
            const size_t before = problems_.size();
            read_key(child);
            if (problems_.size() == before) rule_.source.children.push_back(child);
        }
        const bool is_for_all = rule_.names.empty() && rule_.paths.empty() && rule_.arguments.empty() &&
                                rule_.users.empty() && rule_.cgroups.empty();
        if (counts_ && is_for_all) lose(node_, "a rule says for which programs it is: write name = \"*\" for all");
        if (!counts_) return std::nullopt;
        return std::move(rule_);
    }

private:
    void say(const Node& at, const std::string& sentence) {
        problems_.push_back({file_ + ":" + std::to_string(at.line), sentence});
    }
    void lose(const Node& at, const std::string& sentence) {
        say(at, sentence + "; this rule does not count");
        counts_ = false;
    }
    void read_key(const Node& child);
    void read_patterns(const Node& child, std::vector<std::string>& patterns);
    void read_users(const Node& child);
    void read_never(const Node& child);
    void read_ceiling(const Node& child);
    void read_unknown(const Node& child);

    const Node& node_;
    const std::string& file_;
    bool is_users_;
    std::vector<Problem>& problems_;
    Rule rule_;
    bool counts_ = true;
};

const std::vector<std::string> kConditions = {"name", "path", "arguments", "cgroup", "user"};

bool is_for_rules(const base::HintInfo& hint) { return hint.kind != base::HintKind::kTime; }

void Reader::read_key(const Node& child) {
    const std::string key = canonical(child.key);
    if (key == "name") return read_patterns(child, rule_.names);
    if (key == "path") return read_patterns(child, rule_.paths);
    if (key == "arguments") return read_patterns(child, rule_.arguments);
    if (key == "cgroup") return read_patterns(child, rule_.cgroups);
    if (key == "user") return read_users(child);
    if (key == "never") return read_never(child);
    if (key == "highest_priority") return read_ceiling(child);
    for (const base::HintInfo& hint : base::kHints) {
        if (key != hint.name || !is_for_rules(hint)) continue;
        std::string complaint;
        rule_.hints[static_cast<size_t>(hint.id)] = read_hint(hint, child, &complaint);
        if (!complaint.empty()) say(child, complaint);
        return;
    }
    read_unknown(child);
}

void Reader::read_patterns(const Node& child, std::vector<std::string>& patterns) {
    const std::vector<Node> one{child};
    for (const Node& text : child.kind == Node::Kind::kList ? child.children : one) {
        if (text.kind != Node::Kind::kText || text.text.empty())
            return lose(child, child.key + " is to be a text or a list of texts, such as \"python*\"");
        patterns.push_back(text.text);
    }
    if (patterns.empty()) lose(child, child.key + " is an empty list");
}

void Reader::read_users(const Node& child) {
    if (is_users_) return lose(child, "your own rules are for your own programs: leave out user");
    const std::vector<Node> one{child};
    for (const Node& name : child.kind == Node::Kind::kList ? child.children : one) {
        int64_t number = 0;
        const bool is_number =
            name.is_value() && read_number(name.text, &number) && number >= 0 && number < kFirstApart;
        const passwd* found = is_number || !name.is_value() ? nullptr : getpwnam(name.text.c_str());
        if (!is_number && found == nullptr)
            return lose(child, "there is no user \"" + name.text + "\": use a name or uid of this machine");
        rule_.users.push_back(is_number ? static_cast<uid_t>(number) : found->pw_uid);
    }
    if (rule_.users.empty()) lose(child, "user is an empty list");
}

void Reader::read_never(const Node& child) {
    if (child.kind != Node::Kind::kSwitch) return say(child, "never is to be true or false");
    rule_.never = child.text == "true";
}

void Reader::read_ceiling(const Node& child) {
    int64_t number = 0;
    if (is_users_) return say(child, "only the administrator's rules have a highest_priority: write priority");
    if (!child.is_value() || !read_number(child.text, &number) || number < PRIORITY_MIN || number > PRIORITY_MAX)
        return say(child, "highest_priority is to be a whole number from " + std::to_string(PRIORITY_MIN) + " to " +
                              std::to_string(PRIORITY_MAX));
    rule_.highest_priority = static_cast<int32_t>(number);
}

// Handles a key that is not known. If it may have been meant as a condition, the whole rule does not count.
void Reader::read_unknown(const Node& child) {
    std::vector<std::string> known = kConditions;
    known.insert(known.end(), {"never", "highest_priority"});
    for (const base::HintInfo& hint : base::kHints)
        if (is_for_rules(hint)) known.emplace_back(hint.name);
    const std::string best = base::nearest(known, canonical(child.key));
    const bool is_condition = std::find(kConditions.begin(), kConditions.end(), best) != kConditions.end();
    const std::string sentence = "a rule has no \"" + child.key + "\"" + base::meant(known, canonical(child.key));
    if (best.empty() || is_condition) return lose(child, sentence);
    say(child, sentence);
}

}  // namespace

Program program_of(std::string path, const std::string& process_name, const std::vector<std::string>& words) {
    Program program;
    const auto add_name = [&program](const std::string& name) {
        if (!name.empty() && std::find(program.names.begin(), program.names.end(), name) == program.names.end())
            program.names.push_back(name);
    };
    add_name(last_part(path));
    add_name(process_name);
    if (!words.empty()) add_name(last_part(words.front()));
    // The script's name counts as its own.
    const bool runs_script = std::any_of(program.names.begin(), program.names.end(),
                                         [](const std::string& name) { return base::is_interpreter(name.c_str()); });
    if (runs_script && words.size() > 1 && words[1].rfind('-', 0) != 0) add_name(last_part(words[1]));
    for (const std::string& word : words) program.command += (program.command.empty() ? "" : " ") + word;
    program.path = std::move(path);
    return program;
}

bool Rule::fits(const Program& program) const {
    const bool is_of_user = users.empty() || std::find(users.begin(), users.end(), program.uid) != users.end();
    return is_of_user && fits_one(names, program.names) && fits_one(paths, {program.path}) &&
           fits_one(arguments, {program.command}) && is_in_group(cgroups, program.cgroup);
}

std::optional<Rule> read_rule(const Node& node, const std::string& file, bool is_users,
                              std::vector<Problem>& problems) {
    return Reader(node, file, is_users, problems).read();
}

void Given::add(const Rule& rule) {
    fits_any = true;
    for (size_t at = 0; at < base::kHintCount; ++at) {
        if (!rule.hints[at]) continue;
        hints[at] = rule.hints[at];
        hint_places[at] = rule.place;
    }
    if (rule.never) {
        never = *rule.never;
        never_place = rule.place;
    }
    if (!rule.highest_priority || *rule.highest_priority >= highest_priority) return;
    highest_priority = *rule.highest_priority;
    highest_place = rule.place;
}

Given given_by(const std::vector<Rule>& rules, const Program& program) {
    Given given;
    for (const Rule& rule : rules)
        if (rule.fits(program)) given.add(rule);
    return given;
}

}  // namespace xsched::config
