// The GPUs themselves, which processes share: one kernel at a time, in slices, as on a GPU that each kernel fills.
#pragma once

#include <cstdint>

namespace kfd {

// Uses that GPU for so long; others wait meanwhile. Any thread of any process.
void use_gpu(int gpu, int64_t ns);

}  // namespace kfd
