#include "kubernetes/slices.h"

#include "base/log.h"

namespace xsched::kubernetes {
namespace {

constexpr const char* kSlices = "/apis/resource.k8s.io/v1/resourceslices";

}  // namespace

Json Slices::spec(const Json& devices, int64_t generation) const {
    return {{"driver", kDriver},
            {"nodeName", node_},
            {"pool", {{"name", node_}, {"generation", generation}, {"resourceSliceCount", 1}}},
            {"devices", devices}};
}

// A slice goes with its node.
Json Slices::owner() const {
    try {
        const Json node = server_.ask("GET", "/api/v1/nodes/" + node_);
        return Json::array({{{"apiVersion", "v1"},
                             {"kind", "Node"},
                             {"name", node_},
                             {"uid", object_at(node, "/metadata").value("uid", "")},
                             {"controller", true}}});
    } catch (const ApiError& error) {
        XLOG_WARN("the slice of this node has no owner, and stays when the node is removed: %s", error.what());
        return Json::array();
    }
}

Json Slices::listed() const {
    const std::string path =
        std::string(kSlices) + "?fieldSelector=spec.nodeName%3D" + node_ + "%2Cspec.driver%3D" + kDriver;
    return server_.ask("GET", path).value("items", Json::array());
}

void Slices::publish(const Json& devices) {
    Json slices = listed();
    for (size_t i = 1; i < slices.size(); ++i)
        server_.ask("DELETE", std::string(kSlices) + "/" + object_at(slices[i], "/metadata").value("name", ""));
    Json answer;
    if (slices.empty()) {
        const Json metadata{{"generateName", node_ + "-" + kDriver + "-"}, {"ownerReferences", owner()}};
        answer = server_.ask("POST", kSlices,
                             {{"apiVersion", "resource.k8s.io/v1"},
                              {"kind", "ResourceSlice"},
                              {"metadata", metadata},
                              {"spec", spec(devices, 1)}});
    } else {
        Json& slice = slices[0];
        const Json metadata = object_at(slice, "/metadata");
        if (devices == devices_ && metadata.value("resourceVersion", "") == version_) return;
        const int64_t generation = object_at(slice, "/spec/pool").value("generation", int64_t{0}) + 1;
        slice["apiVersion"] = "resource.k8s.io/v1";  // items of a list have neither
        slice["kind"] = "ResourceSlice";
        slice["spec"] = spec(devices, generation);
        answer = server_.ask("PUT", std::string(kSlices) + "/" + metadata.value("name", ""), slice);
    }
    devices_ = devices;
    version_ = object_at(answer, "/metadata").value("resourceVersion", "");
    XLOG_INFO("%zu devices are published", devices.size());
}

}  // namespace xsched::kubernetes
