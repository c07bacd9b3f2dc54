// The common part of the tests' programs: calls that must succeed, and the tests' kernels.
#pragma once

#include <hip/hip_runtime.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace program {

inline void check(hipError_t result, const char* call) {
    if (result != hipSuccess) throw std::runtime_error(std::string(call) + ": " + hipGetErrorString(result));
}
#define CHECK(call) program::check(call, #call)

// A kernel of the file that programs/hiprtc.cpp compiles, for the current device.
inline hipFunction_t kernel(const char* path, const char* name = "spin_and_count") {
    std::vector<char> code(1 << 20);
    std::FILE* file = std::fopen(path, "rb");
    if (file == nullptr) throw std::runtime_error(std::string("cannot read ") + path);
    code.resize(std::fread(code.data(), 1, code.size(), file));
    std::fclose(file);
    hipModule_t module = nullptr;
    hipFunction_t found = nullptr;
    CHECK(hipModuleLoadData(&module, code.data()));
    CHECK(hipModuleGetFunction(&found, module, name));
    return found;
}

// Calls `run` and returns the program's exit status. If it throws, prints the reason to standard output and ends the
// process with 3, without destroying anything: threads may be at work.
template <typename Run>
int status_of(const char* name, Run run) {
    try {
        run();
    } catch (const std::exception& error) {
        std::printf("%s: %s\n", name, error.what());
        std::fflush(stdout);
        _exit(3);
    }
    return 0;
}

}  // namespace program
