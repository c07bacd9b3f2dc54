// The programs' kernels, compiled when they were built: for the GPUs of the MI200 and MI300 series, where the compiler
// at hand had AMD's GPUs among its targets (cmake/amd_code.cmake). They have run on no device.
#pragma once

#include <vector>

namespace busy {

struct CodeObject {
    const char* processor;
    const char* image;
};
// Returns an empty list if the compiler failed.
const std::vector<CodeObject>& code_objects();

}  // namespace busy
