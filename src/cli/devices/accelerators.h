// The GPUs, NPUs and other accelerators that the kernel knows, and what XSched can do for each. One thread.
#pragma once

#include <string>
#include <vector>

#include "cli/doctor/finding.h"
#include "cli/doctor/machine.h"

namespace xsched::cli {

struct Accelerator {
    std::string place;   // the PCI address, "0000:01:00.0", or the name of its node, "accel0"
    std::string vendor;  // the vendor's number in PCI, "0x10de"; empty: it is no PCI device
    std::string driver;  // the kernel's driver; empty: none
    enum class Kind {
        kGpu,
        kDisplay,
        kAccelerator
    } kind = Kind::kGpu;  // kDisplay: it shows pictures and computes
                                                                          // nothing
};

// Returns the PCI devices of the classes "display controller" and "processing accelerator", and the nodes of
// /sys/class/accel that are no PCI devices.
std::vector<Accelerator> accelerators(const Machine& machine);

// Returns a name such as "NVIDIA Corporation GPU at 0000:01:00.0". The vendor's name comes from the package pci.ids;
// without it the vendor's number stands there.
std::string name_of(const Machine& machine, const Accelerator& device);

// Says whether programs on the device are scheduled, by what, and what would help if not.
Finding schedulable(const Machine& machine, const Accelerator& device);

// Returns a row for each accelerator.
Platform look_at_devices(const Machine& machine);

}  // namespace xsched::cli
