// This node's GPUs as a ResourceSlice has them, for the cluster's scheduler to count. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kubernetes/gpus.h"
#include "kubernetes/json.h"

namespace xsched::kubernetes {

// Reasons for which the scheduler puts no more claims on a GPU.
struct Troubles {
    bool no_server = false;        // nothing enforces shares and priorities
    std::set<std::string> missed;  // PCI addresses of GPUs on which latency targets cannot be met
};

// Returns "devices" of a ResourceSlice.
Json slice_devices(const std::vector<Gpu>& gpus, const Troubles& troubles);

}  // namespace xsched::kubernetes
