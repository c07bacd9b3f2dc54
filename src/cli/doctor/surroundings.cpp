#include "cli/doctor/surroundings.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "cli/sha256.h"

namespace xsched::cli {
namespace {

// Most files in a saved report, so that it stays readable: eight GPUs in eight partitions each have some 1,000 files.
constexpr size_t kMostSaved = 2000;
constexpr size_t kMostOfFile = 8192;  // of one file
constexpr size_t kHashBytes = 8;     // bytes of a hash, enough to tell GPUs apart

// Prefixes of variables that affect a runtime and contain nothing private.
constexpr const char* kPrefixes[] = {"HIP_",     "HSA_",    "ROC",   "GPU_", "AMD_", "DEBUG_", "NCCL_", "RCCL_",
                                     "PYTORCH_", "XSCHED_", "XLOG_", "LD_P", "LD_L", "CUDA_",  "OCL_",  "POCL_"};

void expand(const Machine& machine, const std::string& known, std::string_view rest, std::vector<std::string>& found) {
    const size_t star = rest.find('*');
    if (star == std::string_view::npos) {
        if (found.size() < kMostSaved && machine.exists(known + std::string(rest)))
            found.push_back(known + std::string(rest));
        return;
    }
    const size_t slash = rest.rfind('/', star), end = std::min(rest.find('/', star), rest.size());
    const std::string folder = known + std::string(rest.substr(0, slash));
    const auto names = machine.names(folder, std::string(rest.substr(slash + 1, star - slash - 1)),
                                     std::string(rest.substr(star + 1, end - star - 1)));
    for (const std::string& name : names) expand(machine, folder + "/" + name, rest.substr(end), found);
}

// Replaces a GPU's serial number, which would identify its owner, by a hash that tells GPUs apart.
std::string without_numbers(const std::string& line) {
    constexpr std::string_view kUnique = "unique_id ";
    if (!line.starts_with(kUnique)) return line;
    const Sha256 hash = sha256(std::string_view(line).substr(kUnique.size()));
    return std::string(kUnique) + "sha256:" + hex_of(hash.data(), kHashBytes);
}

Json files(const Machine& machine, const std::string& patterns) {
    std::vector<std::string> paths;
    std::istringstream words(patterns);
    for (std::string pattern; words >> pattern;) expand(machine, "", pattern, paths);
    Json found = Json::object();
    for (const std::string& path : paths) {
        std::string text;
        for (const std::string& line : machine.lines(path))
            if (text.size() < kMostOfFile) text += (text.empty() ? "" : "\n") + without_numbers(line);
        found[path] = text;
    }
    return found;
}

Json variables() {
    Json found = Json::object();
    for (char** each = environ; *each != nullptr; ++each) {
        const std::string text = *each;
        const bool wanted = std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                                        [&](const char* prefix) { return text.starts_with(prefix); });
        if (const size_t equals = text.find('='); wanted && equals != std::string::npos)
            found[text.substr(0, equals)] = text.substr(equals + 1);
    }
    return found;
}

std::string value_in(const Machine& machine, const std::string& path, const std::string& key) {
    for (const std::string& line : machine.lines(path))
        if (line.starts_with(key)) {
            const size_t begin = line.find_first_not_of(" \t\"", key.size());
            return begin == std::string::npos ? "" : line.substr(begin, line.find_last_not_of(" \t\"") + 1 - begin);
        }
    return "";
}

std::string container(const Machine& machine) {
    if (machine.exists("/.dockerenv")) return "docker";
    if (machine.exists("/run/.containerenv")) return "podman";
    if (machine.exists("/var/run/secrets/kubernetes.io")) return "kubernetes";
    return machine.first_line("/run/systemd/container").value_or("none that is known");
}

}  // namespace

Json surroundings(const Machine& machine, const std::string& patterns) {
    Json found = {{"kernel", machine.first_line("/proc/sys/kernel/osrelease").value_or("")},
                  {"distribution", value_in(machine, "/etc/os-release", "PRETTY_NAME=")},
                  {"container", container(machine)},
                  {"files", files(machine, patterns)}};
    if (!machine.is_this()) return found;
    found["load_average"] = machine.first_line("/proc/loadavg").value_or("");
    found["memory_total"] = value_in(machine, "/proc/meminfo", "MemTotal:");
    found["memory_available"] = value_in(machine, "/proc/meminfo", "MemAvailable:");
    found["processors"] = sysconf(_SC_NPROCESSORS_ONLN);
    found["variables"] = variables();
    return found;
}

}  // namespace xsched::cli
