// A PCI address as a number that is the same in every process and for every platform: with it, CUDA's, OpenCL's and
// Vulkan's queues on one GPU belong to one device. Any thread.
#pragma once

#include <cstdint>

namespace xsched::base {

// Returns an address in 32 bits from dddddddd:bb:dd.f. Of the domain only the lower 16 bits are kept.
inline uint32_t pci_address(uint32_t domain, uint32_t bus, uint32_t slot, uint32_t function) {
    return (domain & 0xffff) << 16 | (bus & 0xff) << 8 | (slot & 0x1f) << 3 | (function & 0x7);
}

}  // namespace xsched::base
