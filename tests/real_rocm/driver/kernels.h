// Kernels are run by their names: no instruction is executed. The runtime's own copies, fills and operations on
// streams' values are done. `spin` and `busy` of tests and benchmarks take time and leave their results. Everything
// else takes no time and does nothing.
#pragma once

#include "queues.h"

namespace kfd {

// hsa_kernel_dispatch_packet_t
struct DispatchPacket {
    uint16_t header, setup;
    uint16_t workgroup[3];
    uint16_t reserved;
    uint32_t grid[3];
    uint32_t private_bytes, group_bytes;
    uint64_t kernel;
    uint64_t arguments;
    uint64_t reserved2;
    uint64_t completion;
};

void run_kernel(Queue& queue, const DispatchPacket& packet);

}  // namespace kfd
