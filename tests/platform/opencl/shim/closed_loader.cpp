// A program that opens the OpenCL loader by itself, and closes it while its work is in flight: XSched, which came as a
// layer of the loader, calls it after that. So the loader stays, works when it is opened again, and the work ends.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <thread>

namespace {

constexpr char kLoader[] = "libOpenCL.so.1";
constexpr int kRounds = 3;
constexpr auto kWhileWorkEnds = std::chrono::milliseconds(200);

// Handles that the program never releases: their loader is closed by then. They are kept here, so that the leak
// checker does not report them.
void* g_handles[kRounds][3];

void demand(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "failed: %s\n", what);
    std::exit(1);
}

#define OF_LOADER(name) const auto name##_ = reinterpret_cast<decltype(&name)>(dlsym(loader, #name))

void use_and_close(int round) {
    void* loader = dlopen(kLoader, RTLD_NOW | RTLD_LOCAL);
    demand(loader != nullptr, "there is a loader");
    OF_LOADER(clGetPlatformIDs);
    OF_LOADER(clGetDeviceIDs);
    OF_LOADER(clCreateContext);
    OF_LOADER(clCreateCommandQueue);
    OF_LOADER(clCreateBuffer);
    OF_LOADER(clEnqueueWriteBuffer);
    OF_LOADER(clFlush);
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    demand(clGetPlatformIDs_(1, &platform, nullptr) == CL_SUCCESS, "there is a platform");
    demand(clGetDeviceIDs_(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) == CL_SUCCESS, "there is a device");
    cl_context context = clCreateContext_(nullptr, 1, &device, nullptr, nullptr, nullptr);
    cl_command_queue queue = clCreateCommandQueue_(context, device, 0, nullptr);
    static char data[1 << 20];
    cl_mem buffer = clCreateBuffer_(context, CL_MEM_READ_WRITE, sizeof data, nullptr, nullptr);
    void* const made[] = {context, queue, buffer};
    std::copy(std::begin(made), std::end(made), g_handles[round]);
    for (int i = 0; i < 20; ++i)
        demand(clEnqueueWriteBuffer_(queue, buffer, CL_FALSE, 0, sizeof data, data, 0, nullptr, nullptr) == CL_SUCCESS,
               "a copy is taken");
    clFlush_(queue);
    demand(dlclose(loader) == 0, "the loader is closed");
}

}  // namespace

int main() {
    for (int round = 0; round < kRounds; ++round) {
        use_and_close(round);
        void* there = dlopen(kLoader, RTLD_NOW | RTLD_NOLOAD);
        demand(there != nullptr, "the loader stays, since XSched's threads call it");
        dlclose(there);
        std::this_thread::sleep_for(kWhileWorkEnds);
    }
}
