#include "kubernetes/parameters.h"

#include <algorithm>
#include <stdexcept>

#include "base/did_you_mean.h"
#include "config/hint_text.h"

namespace xsched::kubernetes {
namespace {

constexpr const char* kVersion = "xsched.io/v1alpha1";
constexpr const char* kKind = "SharedDevice";

const Parameter* find(const std::string& name) {
    const auto* found = std::find_if(std::begin(kParameters), std::end(kParameters),
                                     [&name](const Parameter& one) { return name == one.name; });
    return found == std::end(kParameters) ? nullptr : found;
}

void check_kind(const Json& parameters) {
    const std::string version = parameters.value("apiVersion", "");
    const std::string kind = parameters.value("kind", "");
    if (version != kVersion || kind != kKind)
        throw std::runtime_error("the parameters for " + std::string(kDriver) + " are \"" + version + "\" \"" + kind +
                                 "\": write apiVersion: " + kVersion + " and kind: " + kKind);
}

int64_t read(const std::string& name, base::HintId hint, const Json& value) {
    config::Node node;
    node.kind = value.is_structured() || value.is_null() ? config::Node::Kind::kOther : config::Node::Kind::kText;
    node.text = value.is_string() ? value.get<std::string>() : value.dump();
    std::string complaint;
    const auto number = config::read_hint(base::hint_info(hint), node, &complaint);
    if (!number) throw std::runtime_error("parameter " + name + ": " + complaint);
    return *number;
}

}  // namespace

void Parameters::add(const Json& parameters, bool of_class) {
    check_kind(parameters);
    for (const auto& [name, value] : parameters.items()) {
        if (name == "apiVersion" || name == "kind") continue;
        if (name == kMostUrgent) {
            if (!of_class) throw std::runtime_error(std::string(kMostUrgent) + " may stand in a DeviceClass alone");
            most_urgent_ = read(name, base::HintId::priority, value);
        } else if (const Parameter* parameter = find(name)) {
            take(*parameter, value);
        } else {
            std::vector<std::string> known{kMostUrgent};
            for (const Parameter& one : kParameters) known.emplace_back(one.name);
            throw std::runtime_error("there is no parameter \"" + name + "\"" + base::meant(known, name));
        }
    }
    const auto priority = hints_.find(base::HintId::priority);
    const int64_t wanted = priority == hints_.end() ? 0 : priority->second;
    if (most_urgent_ && wanted > *most_urgent_) hints_[base::HintId::priority] = *most_urgent_;
}

void Parameters::take(const Parameter& parameter, const Json& value) {
    int64_t number = read(parameter.name, parameter.hint, value);
    const int64_t before = limit();
    if (parameter.hint == base::HintId::limit && before != 0) number = number == 0 ? before : std::min(number, before);
    hints_[parameter.hint] = number;
}

int64_t Parameters::limit() const {
    const auto found = hints_.find(base::HintId::limit);
    return found == hints_.end() ? 0 : found->second;
}

std::vector<std::string> Parameters::words() const {
    std::vector<std::string> all;
    for (const auto& [id, value] : hints_) {
        const base::HintInfo& hint = base::hint_info(id);
        if (hint.kind != base::HintKind::kSwitch) {
            all.push_back(config::option_of(hint));
            all.push_back(config::text_of_hint(hint, value));
        } else if (value != 0) {
            all.push_back(config::option_of(hint));
        }
    }
    return all;
}

}  // namespace xsched::kubernetes
