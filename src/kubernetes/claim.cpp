#include "kubernetes/claim.h"

#include <algorithm>
#include <stdexcept>

namespace xsched::kubernetes {
namespace {

// Returns whether an entry of the configuration is for the request: "gpu", or "gpu/small" of a prioritized list.
bool is_for(const Json& entry, const std::string& request) {
    const Json requests = entry.value("requests", Json::array());
    const std::string base = request.substr(0, request.find('/'));
    return requests.empty() || std::any_of(requests.begin(), requests.end(),
                                           [&](const Json& one) { return one == request || one == base; });
}

// Merges the driver's parameters for a request. Kubernetes lists those of device classes before those of the claim, so
// the claim's are added last.
Parameters parameters_of(const Json& allocated, const std::string& request) {
    Parameters parameters;
    for (const Json& entry : allocated.value("config", Json::array())) {
        const Json& opaque = object_at(entry, "/opaque");
        if (opaque.value("driver", "") == kDriver && is_for(entry, request))
            parameters.add(object_at(opaque, "/parameters"), entry.value("source", "") == "FromClass");
    }
    return parameters;
}

int64_t share_of(const Json& result) {
    const std::string share = object_at(result, "/consumedCapacity").value("share", "0");
    size_t end = 0;
    const int64_t percent = std::stoll(share, &end);
    if (end != share.size() || percent < 0 || percent > kWholeShare)
        throw std::runtime_error("the share \"" + share + "\" is no whole number of percent");
    return percent;
}

}  // namespace

Claim Claim::read(const Json& object) {
    const Json& metadata = object_at(object, "/metadata");
    Claim claim{metadata.value("namespace", ""), metadata.value("name", ""), metadata.value("uid", ""), {}, {}};
    const Json& allocated = object_at(object, "/status/allocation/devices");
    if (allocated.empty()) throw std::runtime_error("the claim is not allocated");
    for (const Json& result : allocated.value("results", Json::array())) {
        if (result.value("driver", "") != kDriver) continue;
        const std::string request = result.value("request", "");
        claim.devices.push_back({request.substr(0, request.find('/')), result.value("pool", ""),
                                 result.value("device", ""), share_of(result), parameters_of(allocated, request)});
    }
    for (const Json& consumer : object_at(object, "/status").value("reservedFor", Json::array()))
        if (consumer.value("resource", "") == "pods") claim.pods.push_back(consumer.value("uid", ""));
    return claim;
}

}  // namespace xsched::kubernetes
