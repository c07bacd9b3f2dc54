// Level 2's knowledge of the program's objects. An entry, once made, stays valid memory: a thread may still look at a
// released object's.
#pragma once

#include <atomic>
#include <vector>

#include "base/futex.h"
#include "platform/opencl/guards/shim/guard_program.h"

namespace xsched::opencl {

struct Argument {
    bool set = false;
    size_t size = 0;
    std::vector<unsigned char> value;  // empty: a null pointer
};

// The record of one kernel object. Arguments are not locked: OpenCL allows only one thread at a time to set them, and
// none to enqueue the kernel meanwhile.
struct KernelEntry {
    std::atomic<int32_t> references{1};
    std::atomic<bool> shares_memory{false};
    GuardedProgram* program = nullptr;  // an owner
    GuardedKernel* kernel = nullptr;
    std::vector<Argument> arguments;
    KernelEntry* next_spare = nullptr;
};

// Returns the kernel's record; nullptr: it has no guarded twin.
KernelEntry* kernel_entry(cl_kernel kernel);

}  // namespace xsched::opencl
