// Reads the calls that the driver's user-space library makes to NVIDIA's kernel driver, as far as they allocate,
// duplicate or free. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/rm_api.h"

namespace xsched::nvidia {

// A call of the driver's library, direct or wrapped (NV_ESC_IOCTL_XFER_CMD).
struct Call {
    unsigned number = 0;
    size_t bytes = 0;
    const void* parameters = nullptr;
};

// Returns false if it is no call of NVIDIA's.
bool unwrap(unsigned long request, const void* argument, Call& call);

struct Allocation {
    cuda::rm::NVOS21_PARAMETERS head{};  // the long form begins with the same members
    uint32_t status = 0;
};

// These return false if the call is another one.
bool read_allocation(const Call& call, Allocation& allocation);
bool read_free(const Call& call, cuda::rm::NVOS00_PARAMETERS& freed);
bool read_duplicate(const Call& call, cuda::rm::NVOS55_PARAMETERS& duplicated);
// Returns the engine of an allocated channel group.
uint32_t engine_of(const Allocation& allocation);

}  // namespace xsched::nvidia
