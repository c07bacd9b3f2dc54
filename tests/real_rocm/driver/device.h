// The GPUs themselves, which processes share: one kernel at a time, in slices, as on a GPU that each kernel fills.
#pragma once

#include <cstdint>

namespace kfd {

// Simulates that a kernel occupies this GPU for `ns`: waits for its turn and then for that time. Any thread of any
// process.
void use_gpu(int gpu, int64_t ns);

}  // namespace kfd
