// A ResourceClaim, as far as this node's driver needs it. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kubernetes/parameters.h"

namespace xsched::kubernetes {

struct AllocatedDevice {
    std::string request;  // in the claim; what a pod's container names
    std::string pool;
    std::string device;
    int64_t share = 0;  // percent; 0: the whole device
    Parameters parameters;
};

struct Claim {
    std::string space;  // its namespace
    std::string name;
    std::string uid;
    std::vector<AllocatedDevice> devices;  // those of this driver
    std::vector<std::string> pods;         // uids of the pods that may use it

    static Claim read(const Json& object);  // throws std::exception: it is not allocated, or asks for what cannot be
};

}  // namespace xsched::kubernetes
