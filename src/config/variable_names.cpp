#include "config/variable_names.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "base/did_you_mean.h"
#include "base/options.h"
#include "config/settings.h"

namespace xsched::config {
namespace {

constexpr size_t kAbbreviation = 4;  // letters that name a variable by its beginning; fewer fit too many

// A name in two parts: "XSCHED_" would make all names look similar.
struct Name {
    explicit Name(const std::string& whole)
        : prefix(whole.substr(0, whole.find('_') + 1)), word(whole.substr(prefix.size())) {}
    std::string prefix;
    std::string word;
};

// Returns the names of all known variables. They include the keys of XSCHED_DEBUG, since each key may also be set by a
// variable of its own.
std::vector<Name> known_variables() {
    std::vector<Name> names;
    for (const base::OptionInfo* info = base::option_infos(); info->variable != nullptr; ++info)
        names.emplace_back(info->variable);
    for (const base::OptionInfo* info = base::debug_infos(); info->variable != nullptr; ++info) {
        std::string name = info->variable;
        std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
        names.emplace_back("XSCHED_" + name);
    }
    for (const Setting& setting : settings())
        if (setting.table == "server") names.emplace_back(setting.variable);
    return names;
}

}  // namespace

std::string variable_meant(const std::string& whole) {
    const Name name(whole);
    std::vector<std::string> words;  // of the variables that begin like this one
    std::string elsewhere;           // the variable that has the word behind another prefix
    for (const Name& known : known_variables()) {
        if (known.prefix == name.prefix)
            words.push_back(known.word);
        else if (known.word == name.word && elsewhere.empty())
            elsewhere = known.prefix + known.word;
    }
    if (words.empty() || std::find(words.begin(), words.end(), name.word) != words.end()) return "";
    if (!elsewhere.empty()) return elsewhere;
    const auto longer = std::find_if(words.begin(), words.end(), [&name](const std::string& one) {
        return name.word.size() >= kAbbreviation && one.find(name.word) == 0;
    });
    const std::string best = longer != words.end() ? *longer : base::nearest(words, name.word);
    return best.empty() ? "" : name.prefix + best;
}

std::vector<std::string> misspelt_variables() {
    std::vector<std::string> sentences;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string text = *entry;
        const std::string name = text.substr(0, text.find('='));
        const std::string best = variable_meant(name);
        if (best.empty()) continue;
        const bool is_servers = best.find("XSERVER_") == 0;
        sentences.push_back(
            name + " is no variable of XSched and has no effect (did you mean \"" + best +
            "\"?): " + (is_servers ? "'xcli config' lists the settings of a server" : "'xcli options' lists them"));
    }
    return sentences;
}

}  // namespace xsched::config
