#include "config/settings.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "base/byte_size.h"
#include "base/did_you_mean.h"
#include "base/log.h"
#include "base/options.h"
#include "base/text.h"
#include "config/limit_setting.h"
#include "policy/policy.h"

namespace xsched::config {
namespace {

std::string variable_of_server(const char* field) {
    std::string name = "XSERVER_" + std::string(field);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return toupper(c); });
    return name;
}

// Options that have a place of their own: the server's policy is in [server], and the files cannot say where they are.
bool is_elsewhere(const std::string& field) { return field == "policy" || field == "config"; }

std::vector<Setting> all_settings() {
    std::vector<Setting> all;
    const auto add_option = [&all](Setting setting) {
        if (!is_elsewhere(setting.key)) all.push_back(std::move(setting));
    };
#define XSERVER_OPTION_TEXT(field, fallback, help) \
    all.push_back({"server", #field, variable_of_server(#field), fallback, false, 0, 0, "", help});
#define XSERVER_OPTION_INT(field, fallback, least, most, shown, help) \
    all.push_back({"server", #field, variable_of_server(#field), #fallback, true, least, most, shown, help});
#define XSCHED_OPTION_TEXT(field, variable, fallback, help) \
    add_option({"options", #field, variable, fallback, false, 0, 0, "", help});
#define XSCHED_OPTION_INT(field, variable, fallback, least, most, shown, help) \
    add_option({"options", #field, variable, #fallback, true, least, most, shown, help});
#define XSCHED_DEBUG_INT(field, key, former, fallback, least, most, help)
#include "base/options.def"
#undef XSERVER_OPTION_TEXT
#undef XSERVER_OPTION_INT
#undef XSCHED_OPTION_TEXT
#undef XSCHED_OPTION_INT
#undef XSCHED_DEBUG_INT
    return all;
}

// Returns the texts that a setting may have; none: it may have any.
std::vector<std::string> choices(const Setting& setting) {
    if (setting.name() == "server.share_unit") return {"program", "queue", "user", "cgroup"};
    if (setting.name() == "options.scheduler") return {"global", "GLB", "local", "LCL", "app", "APP"};
    if (setting.name() == "options.log_level") return {"DEBG", "DEBUG", "INFO", "WARN", "ERRO"};
    if (setting.name() == "options.auto_xqueue") return {"ON", "OFF", "true", "false", "1", "0"};
    std::vector<std::string> names;
    if (setting.name() == "server.policy")
        for (const auto& info : policy::policies()) names.emplace_back(info.name);
    return names;
}

std::string listed(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

}  // namespace

std::string Setting::flag() const {
    std::string text = "--" + key;
    std::replace(text.begin(), text.end(), '_', '-');
    return text;
}

std::string Setting::unit() const { return std::string(shown).substr(0, std::string(shown).find(';')); }

std::string Setting::in_words(const std::string& value) const {
    int64_t number = 0;
    if (!is_number) return value;
    const std::string behind = (unit().empty() ? "" : " ") + unit();
    if (!read_number(value, &number)) return value + behind;
    if (is_switch()) return number != 0 ? "true" : "false";
    const std::string all = shown;
    const std::string of_number = "; " + std::to_string(number) + " ";
    if (const size_t at = all.find(of_number); at != std::string::npos) {
        const size_t begin = at + of_number.size();
        return all.substr(begin, all.find(';', begin) - begin);
    }
    return unit() == "bytes" ? base::exact_size(number) : std::to_string(number) + behind;
}

const std::vector<Setting>& settings() {
    static const std::vector<Setting> kAll = all_settings();
    return kAll;
}

const Setting* find_setting(const std::string& table, const std::string& key) {
    for (const Setting& setting : settings())
        if (setting.table == table && setting.key == key) return &setting;
    return nullptr;
}

std::string complaint(const Setting& setting, const std::string& value) {
    if (setting.is_number) {
        int64_t number = 0;
        if (read_number(value, &number) && number >= setting.least && number <= setting.most) return "";
        const std::string unit = setting.unit();
        return setting.key + " is to be a whole number from " + std::to_string(setting.least) + " to " +
               std::to_string(setting.most) + (unit.empty() ? "" : " (" + unit + ")") +
               (setting.is_switch() ? ", or true or false" : "") + ", not \"" + value + "\"";
    }
    const std::vector<std::string> known = choices(setting);
    const bool is_library = setting.name() == "server.policy" && value.find('/') != std::string::npos;
    const auto same = [&value](const std::string& one) { return base::same_word(one.c_str(), value.c_str()); };
    if (known.empty() || is_library || std::any_of(known.begin(), known.end(), same)) return "";
    return setting.key + " is to be one of " + listed(known) + ", not \"" + value + "\"" + base::meant(known, value);
}

std::string canonical(std::string key) {
    std::replace(key.begin(), key.end(), '-', '_');
    return key;
}

}  // namespace xsched::config
