#include "cli/metrics/label_sources.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace xsched::cli {
namespace {

// Bound of the containers that are read at each look. kubelet has 110 pods by default, and is documented for few more.
constexpr int kMostContainers = 4096;  // safety
// Of a pod: https://kubernetes.io/docs/concepts/overview/working-with-objects/names
constexpr size_t kLongestName = 253;

// Splits "POD_NAMESPACE_CONTAINER-ID" at the underscores, which none of the three names contains.
Labels names_in(const std::string& name) {
    const size_t first = name.find('_');
    const size_t second = name.find('_', first + 1);
    if (first == std::string::npos || second == std::string::npos) return {};
    const Labels names{{"pod", name.substr(0, first)},
                       {"namespace", name.substr(first + 1, second - first - 1)},
                       {"container", name.substr(second + 1)}};
    for (const auto& [label, value] : names)
        if (value.empty() || value.size() > kLongestName) return {};
    return names;
}

// Returns the labels of the node's containers by container id. They come from the names of kubelet's links: for each
// container, there is a link POD_NAMESPACE_CONTAINER-ID.log.
std::map<std::string, Labels> containers_in(const std::string& folder) {
    std::map<std::string, Labels> containers;
    std::error_code error;
    int left = kMostContainers;
    for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end && left > 0;
         at.increment(error), --left) {
        const std::string name = at->path().stem();
        const size_t hyphen = name.rfind('-');
        if (hyphen != std::string::npos) containers[name.substr(hyphen + 1)] = names_in(name.substr(0, hyphen));
    }
    return containers;
}

// Returns the rest of the first line that begins with `key`, without the spaces before it.
std::string value_in(const std::string& file, const std::string& key) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
        if (line.starts_with(key)) {
            const size_t begin = line.find_first_not_of(" \t", key.size());
            return begin == std::string::npos ? "" : line.substr(begin);
        }
    return "";
}

}  // namespace

LabelSources::LabelSources(const std::string& root)
    : root_(root), containers_(containers_in(root + "/var/log/containers")) {}

Labels LabelSources::of_group(const std::string& path) const {
    Labels labels = group_labels(path);
    if (labels.empty() || labels[0].first != "container_id") return labels;
    if (const auto found = containers_.find(labels[0].second); found != containers_.end())
        labels.insert(labels.end(), found->second.begin(), found->second.end());
    return labels;
}

Labels LabelSources::of_device(const std::string& device) const {
    const size_t colon = device.find(':');
    if (colon == std::string::npos) return {};
    const auto id = static_cast<unsigned>(std::strtoul(device.c_str() + colon + 1, nullptr, 16));
    char address[16];
    snprintf(address, sizeof address, "%04x:%02x:%02x.%x", id >> 16, id >> 8 & 0xff, id >> 3 & 0x1f, id & 7);
    const std::string files = root_ + "/sys/bus/pci/devices/" + address;
    if (access(files.c_str(), F_OK) != 0) return {};
    if (const std::string uuid = value_in(root_ + "/proc/driver/nvidia/gpus/" + address + "/information", "GPU UUID:");
        !uuid.empty()) {
        char capitals[20];
        snprintf(capitals, sizeof capitals, "%08X:%02X:%02X.%X", id >> 16, id >> 8 & 0xff, id >> 3 & 0x1f, id & 7);
        return {{"pci_bus_id", capitals}, {"UUID", uuid}};
    }
    const std::string unique = value_in(files + "/unique_id", "");
    // AMD's runtime writes a GPU's UUID as "GPU-" and the kernel's unique_id.
    return unique.empty() ? Labels{{"pci_bus_id", address}}
                          : Labels{{"pci_bus_id", address}, {"UUID", "GPU-" + unique}};
}

}  // namespace xsched::cli
