// The table of 'xcli server'.
#include <cmath>

#include "base/text.h"
#include "cli/server_link.h"
#include "cli/show.h"
#include "config/settings.h"
#include "console/table.h"

namespace xsched::cli {
namespace {

// "2 days 3 h 20 min", "1.5 s"
std::string duration_text(double seconds) {
    constexpr int64_t kMinute = 60, kHour = 60 * kMinute, kDay = 24 * kHour;
    const int64_t all = std::llround(seconds);
    if (all < kMinute) return base::length_text(seconds * 1e3);
    const std::string minutes = std::to_string(all % kHour / kMinute) + " min";
    if (all < kHour) return minutes + " " + std::to_string(all % kMinute) + " s";
    return (all < kDay ? "" : base::counted(static_cast<uint64_t>(all / kDay), "day") + " ") +
           std::to_string(all % kDay / kHour) + " h " + minutes;
}

// Returns the setting of which a key of the answer has the value, such as "idle_exit" for "idle_exit_s"; null: none.
const config::Setting* setting_of(const std::string& key) {
    const config::Setting* setting = config::find_setting("server", key);
    const bool in_seconds = setting == nullptr && key.ends_with("_s");
    return in_seconds ? config::find_setting("server", key.substr(0, key.size() - 2)) : setting;
}

std::string value_in_words(const std::string& key, const Json& value) {
    if (key == "uptime_s") return duration_text(value.get<double>());
    if (const config::Setting* setting = setting_of(key); setting != nullptr && value.is_number_integer())
        return setting->in_words(value.dump());
    if (key == "supervisor" && value == 0) return "none";
    if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
    if (value.is_array()) {
        std::string all;
        for (const Json& one : value) all += (all.empty() ? "" : "; ") + one.get<std::string>();
        return all.empty() ? "none" : all;
    }
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    return text.empty() ? "-" : text;
}

// Returns the key without its unit, which stands behind the value: "starvation limit".
std::string name_in_words(std::string key) {
    for (const char* unit : {"_ms", "_us", "_s"})
        if (key.ends_with(unit)) key.resize(key.rfind('_'));
    for (char& letter : key)
        if (letter == '_') letter = ' ';
    return key;
}

}  // namespace

int show_server(bool json) {
    const Json answer = ServerLink().ask({{"cmd", "server"}});
    if (json) {
        print(answer.dump(2) + "\n");
        return 0;
    }
    console::Table table({"WHAT", "VALUE"});
    for (const auto& [key, value] : answer.items())
        if (key != "ok" && key != "json_version") table.add({name_in_words(key), value_in_words(key, value)});
    print_text(table.text());
    return 0;
}

}  // namespace xsched::cli
