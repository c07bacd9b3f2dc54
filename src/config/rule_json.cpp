#include "config/rule_json.h"

#include "base/printable.h"

namespace xsched::config {
namespace {

using Json = nlohmann::json;

Json json_of(const Node& node) {
    switch (node.kind) {
        case Node::Kind::kSwitch: return node.text == "true";
        case Node::Kind::kNumber: return Json::parse(node.text, nullptr, false);
        case Node::Kind::kTable: {
            Json table = Json::object();
            for (const Node& child : node.children) table[child.key] = json_of(child);
            return table;
        }
        case Node::Kind::kList: {
            Json list = Json::array();
            for (const Node& child : node.children) list.push_back(json_of(child));
            return list;
        }
        case Node::Kind::kText:
        case Node::Kind::kOther: break;
    }
    return node.text;
}

// Reads a value; lists within lists do not occur in rules and are left out.
Node node_of(const std::string& key, const Json& json, bool may_be_list = true) {
    Node node{.key = key, .kind = Node::Kind::kOther, .text = {}, .line = 0, .children = {}};
    if (json.is_boolean()) {
        node.kind = Node::Kind::kSwitch;
        node.text = json.get<bool>() ? "true" : "false";
    } else if (json.is_number()) {
        node.kind = Node::Kind::kNumber;
        node.text = json.dump();
    } else if (json.is_string()) {
        node.kind = Node::Kind::kText;
        node.text = json.get<std::string>();
    } else if (json.is_array() && may_be_list) {
        node.kind = Node::Kind::kList;
        for (const Json& one : json) node.children.push_back(node_of("", one, false));
    }
    return node;
}

}  // namespace

Json rules_json(const std::vector<Rule>& rules) {
    Json list = Json::array();
    for (const Rule& rule : rules) list.push_back({{"place", rule.place}, {"rule", json_of(rule.source)}});
    return list;
}

std::vector<Rule> rules_of_json(const Json& list, std::vector<Problem>& problems) {
    std::vector<Rule> rules;
    if (!list.is_array()) problems.push_back({"rules", "they are to be a list"});
    for (const Json& one : list) {
        const bool is_rule = one.is_object() && one.value("rule", Json()).is_object();
        const std::string place = is_rule && one.value("place", Json()).is_string()
                                      ? base::printable(one["place"].get<std::string>())
                                      : "rules";
        if (!is_rule) {
            problems.push_back({place, "one of them is no {\"place\", \"rule\"}"});
            continue;
        }
        Node node{.key = "rule", .kind = Node::Kind::kTable, .text = {}, .line = 0, .children = {}};
        for (const auto& [key, value] : one["rule"].items()) node.children.push_back(node_of(key, value));
        std::optional<Rule> rule = read_rule(node, place, true, problems);
        if (!rule) continue;
        rule->place = place;
        rules.push_back(std::move(*rule));
    }
    return rules;
}

}  // namespace xsched::config
