#include "cli/doctor/findings.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/new_functions.h"
#include "cli/doctor/known_functions.h"

namespace xsched::cli {
namespace {

// "/lib/libcuda.so.1 (libcuda.so.535.161)"
std::string with_target(const Machine& machine, const std::string& path) {
    const std::string target = machine.real_path(path);
    const std::string file = target.substr(target.rfind('/') + 1);
    return path.ends_with("/" + file) ? path : path + " (" + file + ")";
}

// Returns the first finding that is a "no", which is the reason for a level's "no"; nullptr: none.
const Finding* obstacle(const Platform& platform) {
    const auto found = std::find_if(platform.findings.begin(), platform.findings.end(),
                                    [](const Finding& finding) { return finding.answer == Answer::kNo; });
    return found != platform.findings.end() ? &*found : nullptr;
}

}  // namespace

std::string joined(const Strings& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

std::string environment(const Machine& machine, const char* variable) {
    const char* value = machine.is_this() ? getenv(variable) : nullptr;
    return value != nullptr ? value : "";
}

Finding shim_of(const Installation& installation, const char* platform) {
    for (const Shim& shim : installation.shims)
        if (shim.platform->name == std::string_view(platform)) return {"shim", Answer::kYes, shim.path};
    return {"shim", Answer::kNo,
            "libshim" + std::string(platform) + ".so is not in " + installation.library_directory +
                ": this build has no such platform"};
}

Finding library(const Machine& machine, const std::string& name, const char* variable, const Strings& folders,
                const std::string& package) {
    if (const std::string chosen = environment(machine, variable); !chosen.empty()) {
        if (machine.exists(chosen)) return {name, Answer::kYes, chosen + " (" + variable + ")"};
        return {name, Answer::kNo, std::string(variable) + " names " + chosen + ", which is not there"};
    }
    Strings found = machine.libraries(name, folders);
    if (found.empty()) return {name, Answer::kNo, "not found: install " + package};
    for (std::string& path : found) path = with_target(machine, path);
    return {name, Answer::kYes, joined(found)};
}

void add_new_functions(Platform& platform, const Machine& machine, const std::string& name, const char* variable,
                       const Strings& folders, const std::string& prefix) {
    const std::string chosen = environment(machine, variable);
    const Strings found = chosen.empty() ? machine.libraries(name, folders) : Strings{chosen};
    const auto exported = found.empty() ? std::nullopt : machine.functions(found.front());
    if (!exported || exported->empty()) return;
    const std::span<const char* const> known = known_functions(platform.name);
    Strings work, others;
    for (const std::string& function : *exported) {
        const bool vendors = function.starts_with(prefix) && function.size() > prefix.size() &&
                             isupper(static_cast<unsigned char>(function[prefix.size()])) != 0;
        if (!vendors || std::binary_search(known.begin(), known.end(), std::string_view(function))) continue;
        (base::looks_like_work(function) ? work : others).push_back(function);
    }
    std::string text = "XSched knows all that this library exports";
    if (!work.empty())
        text = "newer than this XSched, and what they put on the device goes unscheduled: " + joined(work);
    if (!others.empty())
        text = (work.empty() ? "" : text + "; ") + "newer, and as their names say no work: " + joined(others);
    platform.findings.push_back({"functions", work.empty() ? Answer::kYes : Answer::kUnknown, text});
}

Platform behind_loader(const char* name, const Machine& machine, const Installation& installation,
                       const Loader& loader) {
    Platform platform{name, {}, {}};
    platform.findings.push_back(shim_of(installation, name));
    platform.findings.push_back(library(machine, loader.library, loader.variable, {}, loader.package));
    if (*loader.prefix != '\0')
        add_new_functions(platform, machine, loader.library, loader.variable, {}, loader.prefix);
    return platform;
}

Finding device_node(const Machine& machine, const std::string& path, const std::string& hint_missing,
                    const std::string& hint_refused) {
    const int error = machine.try_open(path);
    if (error == 0) return {path, Answer::kYes, "may be opened"};
    const std::string why = strerror(error);
    if (error == ENOENT) return {path, Answer::kNo, why + ": " + hint_missing};
    return {path, Answer::kNo, why + ": " + hint_refused};
}

std::vector<Finding> variables_that_matter(const Machine& machine, const Strings& names) {
    std::vector<Finding> rows;
    for (const std::string& name : names)
        if (const std::string value = environment(machine, name.c_str()); !value.empty())
            rows.push_back({name, Answer::kYes, value});
    return rows;
}

bool add_obstacle(Platform& platform) {
    const Finding* no = obstacle(platform);
    if (no == nullptr) return false;
    const std::string why = no->what + ": " + no->detail;
    for (const char* level : {"level 1", "level 2", "level 3"}) platform.levels.push_back({level, Answer::kNo, why});
    return true;
}

}  // namespace xsched::cli
