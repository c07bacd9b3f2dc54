// Guarded programs: for each program that the driver built from source, a second one of our own, whose kernels have
// the guard (guard_source.h). The program's own stays as it is: everything it can be asked tells the truth, and what
// cannot be guarded runs from there, at level 1. Any thread; no lock is held across a call into the driver.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "platform/opencl/hal/api.h"

namespace xsched::opencl {

enum class ArgumentKind : uint8_t { kValue, kMemory, kLocal };

// The data that all kernel objects of one name share.
struct GuardedKernel {
    std::string name;
    std::vector<ArgumentKind> arguments;  // the program's own, without ours
    std::atomic<bool> mutual{false};      // its work-groups wait for each other: never guarded again
    std::atomic<float> item_ns{0};        // how long a launch takes for each work-item; 0: not known yet
    std::atomic<uint32_t> unguarded{0};   // launches that went without a guard, being short
    base::Mutex mutex;
    std::vector<cl_kernel> spare;  // guarded by mutex
    cl_program program = nullptr;

    // Returns a kernel object for exclusive use until it is given back; nullptr: the driver refused.
    cl_kernel take();
    void give_back(cl_kernel kernel);
};

// A program that others were compiled with or linked from, as the program gave it.
struct CompiledPart {
    cl_program program = nullptr;
    std::string options;
    std::vector<cl_program> headers;  // retained
    std::vector<std::string> header_names;
};

// Says why a kernel has no guard: the first at INFO, for people; the others at DEBG.
void left_alone(const char* kernel, const char* why);

class GuardedProgram {
public:
    // Makes the guarded twin of a built program. `parts`: what it was linked from; empty: it has its own source.
    // nullptr: none of its kernels can be guarded, and the log says why.
    static GuardedProgram* build(cl_program program, const std::vector<CompiledPart>& parts);
    void own() { owners_.fetch_add(1, std::memory_order_relaxed); }
    void disown();

    GuardedKernel* find(const char* name);
    cl_kernel tail() const { return tail_; }

private:
    GuardedProgram() = default;
    ~GuardedProgram();
    bool describe(cl_program original, const std::string& name);

    std::atomic<int32_t> owners_{1};
    cl_program program_ = nullptr;
    cl_kernel tail_ = nullptr;
    std::vector<GuardedKernel*> kernels_;
};

}  // namespace xsched::opencl
