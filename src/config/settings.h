// The settings that a configuration may have, as base/options.def declares them: xserver's own in [server], those of
// programs in [options]. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xsched::config {

struct Setting {
    std::string table;  // "server" or "options"
    std::string key;
    std::string variable;
    std::string fallback;
    bool is_number = false;
    int64_t least = 0;  // of a number
    int64_t most = 0;
    const char* shown = "";  // of a number (base/options.def)
    const char* help = "";

    std::string name() const { return table + "." + key; }
    // Returns the option of xserver's command line that sets the same value.
    std::string flag() const;
    // Returns whether the setting's values are 0 and 1, which may also be written as false and true.
    bool is_switch() const { return is_number && least == 0 && most == 1; }
    // Returns the unit of its numbers, such as "ms"; empty: they have none.
    std::string unit() const;
    // Returns a value as people read it: "1000 ms", "no limit", "true".
    std::string in_words(const std::string& value) const;
};
const std::vector<Setting>& settings();
const Setting* find_setting(const std::string& table, const std::string& key);

// Returns what is wrong with a value and what would be right; empty: nothing.
std::string complaint(const Setting& setting, const std::string& value);

// Returns the key as the settings have it: hyphens and underscores are equal.
std::string canonical(std::string key);

}  // namespace xsched::config
