#include "cli/admit/program_name.h"

#include "base/interpreters.h"

namespace xsched::cli {
namespace {

std::string base_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::string program_name_of(const std::vector<std::string>& words) {
    const std::string name = base_of(words.front());
    if (!base::is_interpreter(name.c_str())) return name;
    for (size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == "-m") return i + 1 < words.size() ? name + " -m " + words[i + 1] : name;
        if (word == "-c") return name;
        if (word == "-X" || word == "-W")
            ++i;  // python3's options that take a value
        else if (!word.starts_with('-'))
            return name + " " + base_of(word);
    }
    return name;
}

}  // namespace xsched::cli
