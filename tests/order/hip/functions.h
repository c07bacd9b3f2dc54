// The HIP runtime's functions as a program gets them at run time. Any thread.
#pragma once

#include "platform/hip/hal/api.h"

namespace hip {

using namespace xsched::hip;

struct Functions {
#define FUNCTION(result, name, ...) result (*name)(__VA_ARGS__);
#include "order/hip/other_functions.def"
#undef FUNCTION
#define FUNCTION(result, name, ...) declared::name name;
#include "functions.inc"
};

// From libamdhip64.so.6, or the library that FAKE_HIP_DIRECT names; from the shim, where that is preloaded.
const Functions& functions();
void* library();
// Returns the image to load: the given one, or with ORDER_HIP_CODE=FILE the code object that AMD's own runtime needs.
const void* code_for(const void* image);

}  // namespace hip
