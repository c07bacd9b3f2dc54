// The programs' kernels on the HIP runtime at hand: the tests' stand-ins take them as PTX; AMD's runtime refuses that,
// and gets what hiprtc compiles for the current device, or what was compiled with the program (code_objects.h). Neither
// has met an AMD device. Any thread.
#pragma once

#include "runtime.h"

namespace busy {

// Returns the kernel busy(uint32_t* state, uint32_t steps). Throws std::runtime_error with a sentence if the kernels
// cannot be loaded; so does load_nothing.
hip::hipFunction_t load_busy();
// nothing(void* first, uint32_t second)
hip::hipFunction_t load_nothing();

}  // namespace busy
