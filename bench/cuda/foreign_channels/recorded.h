// The objects that this process's CUDA library allocates in NVIDIA's kernel driver, seen in its calls as they go by,
// and calls of our own to that driver. The program exports `ioctl`, so the library finds it first. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace foreign {

// The CUDA library's client in NVIDIA's kernel driver and the objects of its first GPU that level 3 needs, recorded
// from the library's ioctls.
struct Recorded {
    int file = -1;  // on which the client was allocated
    uint32_t client = 0;
    uint32_t subdevice = 0;
    uint32_t group = 0;               // of the first context's kernels
    std::vector<uint32_t> channels;   // of that group
    int64_t client_ns = 0;            // when the client was allocated,
    int64_t first_channel_ns = 0;     // and the first channel of any kind
};
Recorded recorded();

// The outcome of one call.
struct Result {
    int error = 0;       // errno; 0: the driver answered
    uint32_t status = 0;  // its answer
    int64_t ns = 0;      // how long it took
    bool good() const { return error == 0 && status == 0; }
};
Result control(int file, uint32_t client, uint32_t object, uint32_t command, void* parameters, size_t bytes);
// Allocates a client in the kernel driver. `wanted`: its number; 0: the driver chooses one.
Result allocate_client(int file, uint32_t wanted, uint32_t* number);
Result free_client(int file, uint32_t number);

}  // namespace foreign
