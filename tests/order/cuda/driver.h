// The CUDA driver as a program gets it at run time: by dlopen of libcuda.so.1, which is the shim where that is
// preloaded. FAKE_CUDA_DIRECT=path opens that library instead. Any thread.
#pragma once

#include <dlfcn.h>

#include <cstdio>

#include "fake/cuda/cuda_driver.h"

namespace cuda {

struct Api {
#define FAKE_CUDA_DECLARE(name, ...) CUresult(CUDAAPI* name)(__VA_ARGS__) = nullptr;
#include "fake/cuda/cuda_functions.def"
#undef FAKE_CUDA_DECLARE
};

// Returns the driver's functions as dlsym finds them, for which the stream NULL is the legacy one. Ends the program
// if there is no driver.
const Api& api();
// Returns the per-thread variants of the functions, in which NULL means the thread's own stream, as cuGetProcAddress
// returns them with that flag.
const Api& per_thread_api();
// The dlopen handle of libcuda.so.1.
void* library();
// Returns whether the driver can be opened and has a device; if not, prints why to standard error.
bool available();
inline bool is_opened(void* library, const char* name) {
    if (library == nullptr) std::fprintf(stderr, "no %s: %s\n", name, dlerror());
    return library != nullptr;
}

// A control of the fake driver by name; nullptr: another driver is in use.
void* fake_control(const char* name);
// The value of a control without parameters; 0 on other drivers.
long fake_count(const char* name);

}  // namespace cuda
