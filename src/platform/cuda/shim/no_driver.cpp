#include "platform/stream/shim/no_driver.h"

#include <cstdint>
#include <cstring>

#include "platform/cuda/hal/api.h"

namespace xsched::stream {
namespace {

using namespace cuda;

CUresult no_device() { return CUDA_ERROR_NO_DEVICE; }
CUresult not_supported() { return CUDA_ERROR_NOT_SUPPORTED; }

// Fails: CUDA's runtime then reports a missing driver, as for a driver that cannot be opened.
CUresult driver_version(int* version) {
    if (version != nullptr) *version = 0;
    return CUDA_ERROR_NO_DEVICE;
}

// Answers cuGetErrorString and cuGetErrorName: fails, but gives a text, since many programs print it without a check.
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

}  // namespace

void* without_driver(const char* name) {
    const Answer answers[] = {answer("cuDriverGetVersion", &driver_version), answer("cuGetErrorName", &error_text),
                              answer("cuGetErrorString", &error_text), answer("cuGetProcAddress", &no_address),
                              answer("cuGetProcAddress_v2", &no_address_v2)};
    if (void* found = find_answer(answers, name)) return found;
    return reinterpret_cast<void*>(&no_device);
}

void* without_function(const char*) { return reinterpret_cast<void*>(&not_supported); }

void* companion_symbol(const char*) { return nullptr; }

}  // namespace xsched::stream
