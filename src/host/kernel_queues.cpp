#include "host/kernel_queues.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>

#include "base/files.h"

namespace xsched::hip {
namespace {

using Counts = std::map<std::string, uint64_t>;  // by the GPU's id

std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

// Counts the compute queues below one process's folder. kfd_process.c: PID/queues/ID/{gpuid,type}. Type 0 is for
// kernels, the others are for copies.
void count_queues(const std::string& folder, Counts& counts) {
    for (const std::string& queue : base::names_in(folder)) {
        const std::string type = first_line(folder + "/" + queue + "/type");
        if (type.empty() || type == "0") ++counts[first_line(folder + "/" + queue + "/gpuid")];
    }
}

Counts counts_below(const std::string& programs) {
    Counts counts;
    for (const std::string& pid : base::names_in(programs)) count_queues(programs + "/" + pid + "/queues", counts);
    return counts;
}

// location_id is the bus and the device in 16 bits; KFD puts the number of a partition above them (kfd_topology.c).
uint32_t address_at(uint64_t domain, uint64_t location) {
    return static_cast<uint32_t>((domain & 0xffff) << 16 | (location & 0xfff8));
}

KernelQueues node_in(const std::string& folder) {
    KernelQueues node;
    uint64_t domain = 0;
    uint64_t location = 0;
    std::ifstream file(folder + "/properties");
    for (std::string line; std::getline(file, line);) {
        const size_t space = line.find(' ');
        if (space == std::string::npos) continue;
        const std::string name = line.substr(0, space);
        const uint64_t value = std::strtoull(line.c_str() + space, nullptr, 10);
        if (name == "num_cp_queues") node.at_once = value;
        if (name == "domain") domain = value;
        if (name == "location_id") location = value;
    }
    node.address = address_at(domain, location);
    return node;
}

}  // namespace

std::string KernelQueues::text() const {
    return "node " + node + ": " + std::to_string(queues) + " of " + std::to_string(at_once) + " that it takes at once";
}

std::vector<KernelQueues> kernel_queues(const std::string& root) {
    const std::string kfd = root + "/sys/class/kfd/kfd";
    const Counts counts = counts_below(kfd + "/proc");
    std::vector<KernelQueues> found;
    if (counts.empty()) return found;
    for (const std::string& name : base::names_in(kfd + "/topology/nodes")) {
        const std::string folder = kfd + "/topology/nodes/" + name;
        const auto count = counts.find(first_line(folder + "/gpu_id"));
        if (count == counts.end()) continue;
        KernelQueues node = node_in(folder);
        node.node = name;
        node.queues = count->second;
        if (node.at_once != 0) found.push_back(node);
    }
    return found;
}

}  // namespace xsched::hip
