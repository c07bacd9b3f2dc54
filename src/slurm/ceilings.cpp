#include "slurm/ceilings.h"

#include <stdexcept>

#include "config/group_setting.h"

namespace xsched::slurm {
namespace {

bool begins_with(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

bool is_subject(const std::string& text) { return begins_with(text, "partition/") || begins_with(text, "qos/"); }

}  // namespace

std::string Ceilings::take(const std::string& word) {
    for (auto& [program, path] : paths_) {
        if (!begins_with(word, (program + "=/").c_str())) continue;
        path = word.substr(program.size() + 1);
        return "";
    }
    const size_t colon = word.find(':');
    const std::string subject = colon == std::string::npos ? "" : word.substr(0, colon);
    const std::string setting = colon == std::string::npos ? word : word.substr(colon + 1);
    if (!subject.empty() && !is_subject(subject))
        return "\"" + subject + "\" is no subject of a ceiling: write partition/NAME or qos/NAME";
    try {
        config::read_group_setting("/job:" + setting);
    } catch (const std::runtime_error& error) {
        return "\"" + word + "\": " + error.what();
    }
    const size_t equals = setting.find('=');
    by_subject_[subject][setting.substr(0, equals)] = setting.substr(equals + 1);
    return "";
}

std::vector<std::string> Ceilings::settings(const std::string& group, const std::string& partition,
                                            const std::string& qos) const {
    std::map<std::string, std::string> values;
    for (const std::string& subject : {std::string(), "partition/" + partition, "qos/" + qos}) {
        const auto found = by_subject_.find(subject);
        if (found == by_subject_.end()) continue;
        for (const auto& [name, value] : found->second) values[name] = value;
    }
    std::vector<std::string> all;
    for (const auto& [name, value] : values) all.push_back(group + ":" + name + "=" + value);
    return all;
}

std::vector<std::string> Ceilings::none(const std::string& group) {
    std::vector<std::string> all;
    for (const char* setting :
         {"share=0", "device-limit=0", "highest-priority=255", "memory-limit=0", "memory-guarantee=0"})
        all.push_back(group + ":" + setting);
    return all;
}

}  // namespace xsched::slurm
