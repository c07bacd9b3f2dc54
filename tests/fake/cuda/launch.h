// Kernels: found by name, run by the executor. Any thread.
#pragma once

#include "fake/cuda/engine.h"

namespace fake {

struct Builtin {
    const char* name;
    std::vector<size_t> sizes;  // of the parameters, in order, each at its natural alignment
    std::vector<size_t> offsets;
    size_t bytes;  // of all parameters
    void (*run)(const std::byte* parameters, size_t threads);
};
const Builtin* builtin_named(const char* name);

constexpr uint32_t kMagicKernel = 0x6e21e101;

// The object behind CUfunction and CUkernel; programs may pass the one for the other.
struct KernelObject {
    uint32_t magic = kMagicKernel;
    const Builtin* builtin = nullptr;
    Context* context = nullptr;  // nullptr: any (a library's kernel)
    CUmodule module = nullptr;
    mutable bool loaded = false;  // launched before; by atomic_ref
};
const KernelObject* kernel_of(CUfunction handle);  // nullptr: not a kernel

inline size_t threads_of(unsigned x, unsigned y, unsigned z) { return size_t{x} * y * z; }

// Forgets the modules of a context that has ended.
void end_modules_of(Context& context);

// Takes the arguments now.
CUresult kernel_action(const KernelObject& kernel, size_t threads, void** parameters, void** extra,
                       std::function<void()>* action);

}  // namespace fake
