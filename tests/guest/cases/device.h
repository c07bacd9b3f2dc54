// The programs of the cases share this: a device with a context, a queue and a kernel, of which the result shows how
// many rounds it has run. A call that fails ends the program with a sentence and exit status 9.
#pragma once
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace cases {

constexpr size_t kItems = 64;
constexpr cl_uint kShort = 200;     // rounds: a few microseconds
constexpr cl_uint kLong = 200'000;  // rounds: about a millisecond
constexpr const char* kSource =
    "__kernel void spin(__global uint* out, uint rounds) {"
    "    uint x = out[get_global_id(0)] + (uint)get_global_id(0);"
    "    for (uint i = 0; i < rounds; ++i) x = x * 1664525u + 1013904223u;"
    "    out[get_global_id(0)] = x;"
    "}";

inline void demand(cl_int code, const char* call) {
    if (code == CL_SUCCESS) return;
    std::printf("%s: error %d\n", call, code);
    std::exit(9);
}

inline void say(const std::string& text) {
    std::printf("%s\n", text.c_str());
    std::fflush(stdout);
}

class Device {
public:
    void open() {
        cl_int code = CL_SUCCESS;
        demand(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
        demand(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
        context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
        demand(code, "clCreateContext");
        queue = make_queue();
        const char* source = kSource;
        program = clCreateProgramWithSource(context, 1, &source, nullptr, &code);
        demand(code, "clCreateProgramWithSource");
        demand(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
        buffer = make_buffer();
        kernel = make_kernel(buffer);
    }
    cl_command_queue make_queue() const {
        cl_int code = CL_SUCCESS;
        cl_command_queue made = clCreateCommandQueue(context, device, 0, &code);
        demand(code, "clCreateCommandQueue");
        return made;
    }
    cl_mem make_buffer() const {
        cl_int code = CL_SUCCESS;
        std::array<cl_uint, kItems> zeros{};
        cl_mem made =
            clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros.data(), &code);
        demand(code, "clCreateBuffer");
        return made;
    }
    cl_kernel make_kernel(cl_mem into) const {
        cl_int code = CL_SUCCESS;
        cl_kernel made = clCreateKernel(program, "spin", &code);
        demand(code, "clCreateKernel");
        demand(clSetKernelArg(made, 0, sizeof into, &into), "clSetKernelArg");
        return made;
    }
    static void spin(cl_command_queue queue, cl_kernel kernel, cl_uint rounds, cl_event* event = nullptr,
                     const cl_event* behind = nullptr) {
        const size_t items = kItems;
        demand(clSetKernelArg(kernel, 1, sizeof rounds, &rounds), "clSetKernelArg");
        demand(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, behind != nullptr ? 1 : 0, behind,
                                      event),
               "clEnqueueNDRangeKernel");
    }
    void spin(cl_uint rounds, cl_event* event = nullptr) const { spin(queue, kernel, rounds, event); }
    void finish() const { demand(clFinish(queue), "clFinish"); }
    // Waits for all of the queue.
    std::string result() const { return result_of(buffer); }
    std::string result_of(cl_mem memory) const {
        std::array<cl_uint, kItems> found{};
        demand(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof found, found.data(), 0, nullptr, nullptr),
               "clEnqueueReadBuffer");
        cl_uint sum = 0;
        for (const cl_uint one : found) sum = sum * 31 + one;
        return "result " + std::to_string(sum);
    }
    void close() const {
        demand(clReleaseMemObject(buffer), "clReleaseMemObject");
        demand(clReleaseKernel(kernel), "clReleaseKernel");
        demand(clReleaseProgram(program), "clReleaseProgram");
        demand(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
        demand(clReleaseContext(context), "clReleaseContext");
    }

    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    cl_context context = nullptr;
    cl_command_queue queue = nullptr;
    cl_program program = nullptr;
    cl_mem buffer = nullptr;
    cl_kernel kernel = nullptr;
};

// Waits until the test closes standard input. Before that, the test asks the server about this program.
inline void wait_to_be_seen() {
    say("waits");
    while (std::getchar() != EOF) {
    }
}

// One case of a guest program, chosen by its name on the command line.
struct Case {
    const char* name;
    int (*run)();
};

template <size_t N>
int run_case(const Case (&cases)[N], int argc, char** argv) {
    for (const Case& one : cases)
        if (argc > 1 && std::strcmp(argv[1], one.name) == 0) return one.run();
    return 2;
}

}  // namespace cases
