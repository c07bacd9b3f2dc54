#include "kubernetes/slice_devices.h"

namespace xsched::kubernetes {
namespace {

constexpr size_t kLongestText = 64;  // of an attribute: resource.k8s.io/v1, DeviceAttributeMaxValueLength

Json taint(const char* key) { return {{"key", std::string(kDriver) + "/" + key}, {"effect", "NoSchedule"}}; }

Json taints_of(const Gpu& gpu, const Troubles& troubles) {
    Json taints = Json::array();
    if (!gpu.answers) taints.push_back(taint("off-the-bus"));
    if (troubles.no_server) taints.push_back(taint("no-server"));
    if (troubles.missed.count(gpu.address) != 0) taints.push_back(taint("targets-missed"));
    return taints;
}

Json attributes_of(const Gpu& gpu) {
    Json attributes{{"platform", {{"string", gpu.platform}}},
                    {"resource.kubernetes.io/pciBusID", {{"string", gpu.address}}}};
    if (!gpu.model.empty()) attributes["model"] = {{"string", gpu.model.substr(0, kLongestText)}};
    if (!gpu.uuid.empty()) attributes["uuid"] = {{"string", gpu.uuid.substr(0, kLongestText)}};
    return attributes;
}

Json capacity_of(const Gpu& gpu) {
    const std::string whole = std::to_string(kWholeShare);
    const Json range{{"min", "1"}, {"max", whole}, {"step", "1"}};
    Json capacity{{"share", {{"value", whole}, {"requestPolicy", {{"default", "1"}, {"validRange", range}}}}}};
    if (gpu.memory > 0) capacity["memory"] = {{"value", std::to_string(gpu.memory >> 20) + "Mi"}};
    return capacity;
}

}  // namespace

Json slice_devices(const std::vector<Gpu>& gpus, const Troubles& troubles) {
    Json devices = Json::array();
    for (const Gpu& gpu : gpus) {
        Json device{{"name", gpu.name},
                    {"allowMultipleAllocations", true},
                    {"attributes", attributes_of(gpu)},
                    {"capacity", capacity_of(gpu)}};
        if (const Json taints = taints_of(gpu, troubles); !taints.empty()) device["taints"] = taints;
        devices.push_back(std::move(device));
    }
    return devices;
}

}  // namespace xsched::kubernetes
