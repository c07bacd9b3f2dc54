// Shares of GPUs as a device plugin, for clusters without consumable capacity: a pod asks for a number of
// xsched.io/share. kubelet asks by gRPC, and tells afterwards which pods have which shares. One thread calls it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "kubernetes/driver.h"

namespace xsched::kubernetes {

class DevicePlugin {
public:
    // `folder`: kubelet's.
    DevicePlugin(Driver& driver, const std::string& folder);
    ~DevicePlugin();

    // Registers with kubelet if that has not happened or kubelet has started again, and tells the driver which pods
    // have shares. Throws std::exception if kubelet does not answer.
    void look();

private:
    struct Service;
    void serve();
    void tell_pods();

    Driver& driver_;
    const std::string folder_;
    std::unique_ptr<Service> service_;
};

}  // namespace xsched::kubernetes
