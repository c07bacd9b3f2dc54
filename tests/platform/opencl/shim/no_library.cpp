// A program on a machine without OpenCL, with the shim preloaded: calls fail as a loader without platforms lets them
// fail. Exit status 0: so it was.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_icd.h>
#include <dlfcn.h>

#include <cstdio>

int main() {
    const auto platforms = reinterpret_cast<cl_api_clGetPlatformIDs>(dlsym(RTLD_DEFAULT, "clGetPlatformIDs"));
    const auto buffer = reinterpret_cast<cl_api_clCreateBuffer>(dlsym(RTLD_DEFAULT, "clCreateBuffer"));
    const auto finish = reinterpret_cast<cl_api_clFinish>(dlsym(RTLD_DEFAULT, "clFinish"));
    if (platforms == nullptr || buffer == nullptr || finish == nullptr) {
        std::puts("the shim is not loaded");
        return 1;
    }
    cl_uint count = 0;
    cl_int code = CL_SUCCESS;
    bool as_expected = platforms(0, nullptr, &count) == CL_PLATFORM_NOT_FOUND_KHR;
    as_expected &= buffer(nullptr, 0, 1, nullptr, &code) == nullptr && code == CL_PLATFORM_NOT_FOUND_KHR;
    as_expected &= buffer(nullptr, 0, 1, nullptr, nullptr) == nullptr;
    as_expected &= finish(nullptr) == CL_PLATFORM_NOT_FOUND_KHR;
    if (!as_expected) std::puts("a call did not fail with CL_PLATFORM_NOT_FOUND_KHR");
    return as_expected ? 0 : 1;
}
