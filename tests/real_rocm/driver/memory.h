// Memory of the GPUs: ordinary pages at the address that the runtime chose. Any thread.
#pragma once

#include "emulator.h"

namespace kfd {

Answer allocate(kfd_ioctl_alloc_memory_of_gpu_args& asked);
Answer release(const kfd_ioctl_free_memory_of_gpu_args& asked);
// Gives a descriptor of memory that the runtime maps itself.
Answer export_memory(kfd_ioctl_export_dmabuf_args& asked);
// Called when the runtime unmaps pages. With KFD_EMULATOR_UNMAP_US the addresses are kept unusable, so that a later
// access crashes, and unmapping takes that long. Returns false if the system is to unmap the pages.
bool close_pages(uint64_t address, uint64_t bytes);
// The address that a handle stands for; 0: none.
uint64_t address_of_handle(uint64_t handle);
// Returns the host's address of a GPU address. Both are equal except for registered memory of the program (userptr).
uint64_t on_host(uint64_t gpu_address);

template <typename T>
T* at(uint64_t gpu_address) {
    return reinterpret_cast<T*>(on_host(gpu_address));
}

}  // namespace kfd
