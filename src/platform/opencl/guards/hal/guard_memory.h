// Host memory that the device reads and writes directly: the words of guarded launches. Fresh ones are 0. Pages take
// memory only once a word of theirs is written, so room for very many work-groups costs nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/no_copies.h"
#include "platform/opencl/hal/api.h"

namespace xsched::opencl {

class GuardMemory : base::NoCopies {
public:
    GuardMemory() = default;
    ~GuardMemory() { destroy(); }

    // Allocates the memory. Returns false if there is none, or the driver refused.
    bool make(const ClApi& api, cl_context context, size_t words);
    void destroy();

    size_t words() const { return bytes_ / sizeof(uint32_t); }
    cl_mem memory() const { return memory_; }
    std::atomic<uint32_t>& word(size_t index) const {
        return *reinterpret_cast<std::atomic<uint32_t>*>(static_cast<uint32_t*>(host_) + index);
    }

    GuardMemory* next = nullptr;  // spare ones of a queue

private:
    const ClApi* api_ = nullptr;
    void* host_ = nullptr;
    size_t bytes_ = 0;
    cl_mem memory_ = nullptr;
};

}  // namespace xsched::opencl
