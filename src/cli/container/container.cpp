#include "cli/container/container.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "base/text.h"
#include "cli/drivers.h"
#include "cli/quoted.h"
#include "cli/run_options.h"

namespace xsched::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInside = "/opt/xsched";           // our libraries in the container
constexpr const char* kSocketsInside = "/run/xsched";    // where programs look first (docs/SERVER.md)
constexpr const char* kMakesDevices = "nvidia.com/gpu";  // the CDI kind of NVIDIA's container toolkit

const Shim* shim_of(const Installation& installation, const std::string& platform) {
    for (const Shim& shim : installation.shims)
        if (shim.platform->name == platform) return &shim;
    return nullptr;
}

std::vector<const Shim*> shims_for(const ContainerWords& words, const Installation& installation) {
    std::vector<const Shim*> shims;
    for (const std::string& platform : words.platforms) {
        const Shim* shim = shim_of(installation, platform);
        if (shim == nullptr)
            throw Failure("there is no libshim" + platform + ".so in " + installation.library_directory +
                          ": install the package xsched-shims, or build that platform");
        if (is_layer(*shim->platform))
            throw Failure(std::string(shim->platform->title) +
                          " programs in containers are not scheduled yet: their "
                          "loader would have to find XSched's layer there");
        shims.push_back(shim);
    }
    if (!words.platforms.empty()) return shims;
    for (const Shim& shim : installation.shims)
        if (!is_layer(*shim.platform) && driver_is_there(*shim.platform) && may_have_device(*shim.platform))
            shims.push_back(&shim);
    if (shims.empty())
        throw Failure("no driver that XSched knows is on this machine: name the container's with --platform");
    return shims;
}

void mount_libraries(Injection& injection, const std::vector<const Shim*>& shims, const Installation& installation) {
    std::error_code error;
    const fs::path folder = fs::canonical(shims.front()->path, error).parent_path();
    injection.mounts.push_back({folder, std::string(kInside) + "/lib", false});
    std::vector<std::string> others{"libpreempt.so.1"};
    for (const Shim* shim : shims) others.push_back(std::string("libhal") + shim->platform->name + ".so.1");
    for (const std::string& name : others) {  // shims look for them beside themselves and one folder above
        const fs::path library = fs::path(installation.library_directory) / name;
        if (!fs::exists(folder / name, error) && fs::exists(library, error))
            injection.mounts.push_back({library, std::string(kInside) + "/" + name, false});
    }
}

// Returns the shim's path in the container as LD_PRELOAD names it. glibc's linker replaces $LIB (installation.cpp).
// musl's linker finds no file under that name, and programs that use it run unscheduled.
std::string preloaded(const Shim& shim) {
    const std::string name = fs::path(shim.path).filename();
    return std::string(kInside) + "/lib/$LIB/" + name;
}

void set_variables(Injection& injection, const std::vector<const Shim*>& shims, const HintWords& hints) {
    auto& variables = injection.variables;
    std::string list;
    for (const Shim* shim : shims) list += (list.empty() ? "" : ":") + preloaded(*shim);
    variables.emplace_back("LD_PRELOAD", list);
    for (const Shim* shim : shims)
        if (*shim->platform->shim_also_in != '\0')
            variables.emplace_back(shim->platform->shim_also_in,
                                   std::string(kInside) + "/lib/" + fs::path(shim->path).filename().string());
    variables.emplace_back("XSCHED_START_SERVER", "0");  // the machine's server is the only one
    variables.emplace_back("XLOG_LEVEL", kRunLogLevel);        // standard error is the program's
    for (const base::HintInfo& hint : base::kHints)
        if (const auto value = hints.of(hint); value && hint.option != nullptr)
            variables.emplace_back(hint.option, std::to_string(*value));
}

// Adds the engine's options by which the vendor's own tools bring the device nodes and the driver's libraries into the
// container.
void add_devices(std::vector<std::string>& words, const std::string& engine, const Injection& injection) {
    const bool podman = engine == "podman";
    for (const PlatformInfo* platform : injection.platforms) {
        const std::string name = platform->name;
        if (name == "cuda" && podman) words.insert(words.end(), {"--device", std::string(kMakesDevices) + "=all"});
        if (name == "cuda" && !podman) words.insert(words.end(), {"--gpus", "all"});
        if (name == "hip")
            words.insert(words.end(), {"--device", "/dev/kfd", "--device", "/dev/dri", "--group-add",
                                       podman ? "keep-groups" : "video"});
    }
}

bool is_plain(const std::string& word, const char* also) {
    return std::all_of(word.begin(), word.end(), [also](char c) { return base::is_alnum(c) || strchr(also, c); });
}

bool is_cdi_name(const std::string& name) {
    return !name.empty() && base::is_alnum(name.front()) && base::is_alnum(name.back()) && is_plain(name, "_-.:");
}

}  // namespace

Injection injection_of(const ContainerWords& words, const Installation& installation) {
    const std::vector<const Shim*> shims = shims_for(words, installation);
    Injection injection;
    for (const Shim* shim : shims) injection.platforms.push_back(shim->platform);
    mount_libraries(injection, shims, installation);
    injection.mounts.push_back({words.sockets, kSocketsInside, true});  // to connect is to write
    set_variables(injection, shims, words.hints);
    return injection;
}

Json cdi_file(const Injection& injection, const std::string& name) {
    if (!is_cdi_name(name))
        throw Failure("--name " + name + " is no name of a CDI device: use letters, digits, and _ - . : between them");
    Json edits{{"env", Json::array()}, {"mounts", Json::array()}};
    for (const auto& [variable, value] : injection.variables) edits["env"].push_back(variable + "=" + value);
    for (const Mount& mount : injection.mounts)
        edits["mounts"].push_back({{"hostPath", mount.from},
                                   {"containerPath", mount.to},
                                   {"options", {mount.writable ? "rw" : "ro", "nosuid", "nodev", "bind"}}});
    return {{"cdiVersion", "0.5.0"},
            {"kind", "xsched.io/class"},
            {"devices", Json::array({{{"name", name}, {"containerEdits", edits}}})}};
}

std::vector<std::string> engine_words(const std::string& engine, const Injection& injection) {
    std::vector<std::string> words{engine, "run"};
    add_devices(words, engine, injection);
    for (const Mount& mount : injection.mounts)
        words.insert(words.end(), {"-v", mount.from + ":" + mount.to + (mount.writable ? "" : ":ro")});
    for (const auto& [variable, value] : injection.variables) words.insert(words.end(), {"-e", variable + "=" + value});
    return words;
}

std::string shell_line(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) {
        const bool plain = !word.empty() && is_plain(word, "_-./:=,@%+");
        line += (line.empty() ? "" : " ") + (plain ? word : quoted(word));
    }
    return line;
}

}  // namespace xsched::cli
