#include "platform/cuda/shim/no_driver.h"

#include <cstdint>
#include <cstring>

#include "platform/cuda/hal/api.h"

namespace xsched::cuda {
namespace {

CUresult no_device() { return CUDA_ERROR_NO_DEVICE; }
CUresult not_supported() { return CUDA_ERROR_NOT_SUPPORTED; }

// CUDA's runtime takes a failure for a missing driver, as it takes a driver that cannot be opened.
CUresult driver_version(int* version) {
    if (version != nullptr) *version = 0;
    return CUDA_ERROR_NO_DEVICE;
}

// It fails too; but many a program prints the text without looking.
CUresult error_text(CUresult, const char** text) {
    if (text != nullptr) *text = "no CUDA driver is installed";
    return CUDA_ERROR_NO_DEVICE;
}

CUresult no_address(const char*, void** address, int, uint64_t) {
    if (address != nullptr) *address = nullptr;
    return CUDA_ERROR_NO_DEVICE;
}

CUresult no_address_v2(const char*, void** address, int, uint64_t, int* status) {
    if (address != nullptr) *address = nullptr;
    if (status != nullptr) *status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return CUDA_ERROR_NO_DEVICE;
}

struct Answer {
    const char* name;
    void* function;
};

}  // namespace

void* without_driver(const char* name) {
    const Answer answers[] = {{"cuDriverGetVersion", reinterpret_cast<void*>(&driver_version)},
                              {"cuGetErrorName", reinterpret_cast<void*>(&error_text)},
                              {"cuGetErrorString", reinterpret_cast<void*>(&error_text)},
                              {"cuGetProcAddress", reinterpret_cast<void*>(&no_address)},
                              {"cuGetProcAddress_v2", reinterpret_cast<void*>(&no_address_v2)}};
    for (const Answer& answer : answers)
        if (std::strcmp(answer.name, name) == 0) return answer.function;
    return reinterpret_cast<void*>(&no_device);
}

void* without_function() { return reinterpret_cast<void*>(&not_supported); }

}  // namespace xsched::cuda
