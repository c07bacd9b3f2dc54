#include "platform/opencl/guards/hal/guard_memory.h"

#include <sys/mman.h>

namespace xsched::opencl {
namespace {

constexpr size_t kPage = 4096;

}  // namespace

bool GuardMemory::make(const ClApi& api, cl_context context, size_t words) {
    const size_t bytes = (words * sizeof(uint32_t) + kPage - 1) / kPage * kPage;
    void* host = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (host == MAP_FAILED) return false;
    api_ = &api;
    host_ = host;
    bytes_ = bytes;
    cl_int code = CL_SUCCESS;
    memory_ = api.clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, host, &code);
    if (memory_ != nullptr) return true;
    destroy();
    return false;
}

void GuardMemory::destroy() {
    if (memory_ != nullptr) api_->clReleaseMemObject(memory_);
    if (host_ != nullptr) munmap(host_, bytes_);
    memory_ = nullptr;
    host_ = nullptr;
    bytes_ = 0;
}

}  // namespace xsched::opencl
