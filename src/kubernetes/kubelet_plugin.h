// The sockets by which kubelet finds the driver and asks it for claims (gRPC).
#pragma once

#include <memory>
#include <string>

#include "kubernetes/driver.h"

namespace xsched::kubernetes {

class KubeletPlugin {
public:
    // Serves from now on, on threads of gRPC's. `folder`: kubelet's. Throws std::runtime_error if that cannot be.
    KubeletPlugin(Driver& driver, const std::string& folder);
    ~KubeletPlugin();

private:
    struct Services;
    std::unique_ptr<Services> services_;
};

}  // namespace xsched::kubernetes
