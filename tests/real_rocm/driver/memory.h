// Memory of the GPUs: ordinary pages at the address that the runtime chose. Any thread.
#pragma once

#include "emulator.h"

namespace kfd {

Answer allocate(kfd_ioctl_alloc_memory_of_gpu_args& asked);
Answer release(const kfd_ioctl_free_memory_of_gpu_args& asked);
// Gives a descriptor of memory that the runtime maps itself.
Answer export_memory(kfd_ioctl_export_dmabuf_args& asked);
// The runtime gives pages back to the host. With KFD_EMULATOR_UNMAP_US nothing else comes to lie there, so that a
// thread that touches them later crashes; unmapping takes that long. Returns false if the system is to do it.
bool close_pages(uint64_t address, uint64_t bytes);
// The address that a handle stands for; 0: none.
uint64_t address_of_handle(uint64_t handle);
// The host's address of what the GPU sees at this one: another for registered memory of the program (userptr).
uint64_t on_host(uint64_t gpu_address);

template <typename T>
T* at(uint64_t gpu_address) {
    return reinterpret_cast<T*>(on_host(gpu_address));
}

}  // namespace kfd
