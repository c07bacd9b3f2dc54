// An OpenCL program that forks: children from before its first OpenCL call, children from after it, and children that
// become another program. Prints one line per part, in a fixed order; with an argument it only computes.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>

namespace {

constexpr unsigned kBoundSeconds = 60;

#define MUST(call)                                                            \
    if (const cl_int must_code = (call); must_code != CL_SUCCESS) {           \
        std::fprintf(stderr, "%s: %d\n", #call, static_cast<int>(must_code)); \
        std::exit(2);                                                         \
    }

// Ten kernels in order on a buffer; 0 if the result is what order demands.
int compute() {
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    MUST(clGetPlatformIDs(1, &platform, nullptr));
    MUST(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr));
    cl_int code = CL_SUCCESS;
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    MUST(code);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, nullptr, &code);
    MUST(code);
    const char* source = "__kernel void advance(__global uint* b, uint v) { b[0] = b[0] * 31 + v; }";
    cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &code);
    MUST(code);
    MUST(clBuildProgram(program, 1, &device, "", nullptr, nullptr));
    cl_kernel kernel = clCreateKernel(program, "advance", &code);
    MUST(code);
    cl_uint word = 1;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof word, &word, &code);
    MUST(code);
    const size_t one = 1;
    for (cl_uint i = 0; i < 10; ++i) {
        MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        MUST(clSetKernelArg(kernel, 1, sizeof i, &i));
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr));
        word = word * 31 + i;
    }
    cl_uint seen = 0;
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof seen, &seen, 0, nullptr, nullptr));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    MUST(clReleaseContext(context));
    return seen == word ? 0 : 1;
}

// Runs `part` in a child of its own and prints how it ended.
template <typename Part>
void in_child(const char* name, Part part) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(kBoundSeconds);
        std::exit(part());  // with atexit handlers and destructors of every library
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status)) {
        std::printf("%s: exit status %d\n", name, WEXITSTATUS(status));
    } else {
        std::printf("%s: ended by signal %d\n", name, WTERMSIG(status));
    }
}

int become(const char* program, const char* argument) {
    execl(program, program, argument, nullptr);
    return 127;
}

}  // namespace

int main(int argc, char**) {
    alarm(4 * kBoundSeconds);
    if (argc > 1) return compute();
    in_child("child before the first call, does nothing", [] { return 0; });
    in_child("child before the first call, computes", compute);
    std::printf("parent: %d\n", compute());
    in_child("child after the first call, does nothing", [] { return 0; });
    in_child("child after the first call, forks again", [] {
        in_child("  grandchild", [] { return 3; });
        std::fflush(stdout);
        return 4;
    });
    in_child("child after the first call, becomes this program", [] { return become("/proc/self/exe", "compute"); });
    in_child("child after the first call, becomes echo", [] { return become("/bin/echo", "hello"); });
    std::printf("parent again: %d\n", compute());
    return 0;
}
