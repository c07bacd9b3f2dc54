// The GPUs of this node, as the drivers of the kernel show them in files. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xsched::kubernetes {

struct Gpu {
    std::string name;      // of the device in the cluster: "gpu-0000-3b-00-0"
    std::string address;   // on the PCI bus: "0000:3b:00.0"
    std::string platform;  // XSched's: "cuda", "hip"
    std::string vendors;   // the CDI name that the vendor's toolkit gives it: "nvidia.com/gpu=GPU-..."
    std::string model;
    std::string uuid;
    int64_t memory = 0;   // bytes; 0: not known
    bool answers = true;  // on its bus
};

// `root`: the folder in which the files of the machine are, without a slash at its end.
std::vector<Gpu> find_gpus(const std::string& root);

}  // namespace xsched::kubernetes
