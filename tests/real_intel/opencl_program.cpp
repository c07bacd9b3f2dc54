// An OpenCL program for run.py: prints what each call returns, and the states of events that the host decides.
#include <CL/cl.h>

#include <cstdio>
#include <cstring>
#include <initializer_list>

namespace {

constexpr int kMany = 40;  // more than a window holds
constexpr size_t kBytes = 4096;
constexpr const char* kSource =
    "kernel void add(global int* numbers, int what) { numbers[get_global_id(0)] += what; }"
    "kernel void copy(global int* to, global const int* from) { to[get_global_id(0)] = from[get_global_id(0)]; }";

void say(const char* call, cl_int result) { std::printf("%s: %d\n", call, result); }
#define SAY(call) say(#call, call)

struct Device {
    cl_device_id device = nullptr;
    cl_context context = nullptr;
    cl_kernel add = nullptr, copy = nullptr;
    cl_mem to = nullptr, from = nullptr;
};

void launch_many(const Device& it, cl_command_queue queue) {
    const size_t items = 64;
    for (int i = 0; i < kMany; ++i) {
        SAY(clSetKernelArg(it.add, 1, sizeof i, &i));
        SAY(clEnqueueNDRangeKernel(queue, it.add, 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
    }
    cl_event event = nullptr;
    SAY(clEnqueueNDRangeKernel(queue, it.copy, 1, nullptr, &items, &items, 0, nullptr, &event));
    SAY(clEnqueueMarkerWithWaitList(queue, 1, &event, nullptr));
    SAY(clReleaseEvent(event));
}

void copy_memory(const Device& it, cl_command_queue queue) {
    char bytes[kBytes] = {};
    const int pattern = 7;
    SAY(clEnqueueWriteBuffer(queue, it.from, CL_FALSE, 0, kBytes, bytes, 0, nullptr, nullptr));
    SAY(clEnqueueFillBuffer(queue, it.to, &pattern, sizeof pattern, 0, kBytes, 0, nullptr, nullptr));
    SAY(clEnqueueCopyBuffer(queue, it.from, it.to, 0, 0, kBytes, 0, nullptr, nullptr));
    SAY(clEnqueueReadBuffer(queue, it.to, CL_TRUE, 0, kBytes, bytes, 0, nullptr, nullptr));
    cl_int result = 0;
    void* mapped = clEnqueueMapBuffer(queue, it.to, CL_TRUE, CL_MAP_WRITE, 0, kBytes, 0, nullptr, nullptr, &result);
    say("clEnqueueMapBuffer", result);
    SAY(clEnqueueUnmapMemObject(queue, it.to, mapped, 0, nullptr, nullptr));
    SAY(clFinish(queue));
}

// Commands behind an event that the host sets.
void wait_for_host(const Device& it, cl_command_queue queue) {
    cl_int result = 0;
    cl_event open = clCreateUserEvent(it.context, &result);
    say("clCreateUserEvent", result);
    const size_t items = 64;
    cl_event behind = nullptr;
    SAY(clEnqueueNDRangeKernel(queue, it.add, 1, nullptr, &items, nullptr, 1, &open, &behind));
    SAY(clEnqueueBarrierWithWaitList(queue, 0, nullptr, nullptr));
    SAY(clFlush(queue));
    cl_int state = -1;
    SAY(clGetEventInfo(behind, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr));
    std::printf("behind the closed event: %s\n", state == CL_COMPLETE ? "complete" : "not complete");
    SAY(clSetUserEventStatus(open, CL_COMPLETE));
    SAY(clFinish(queue));
    SAY(clReleaseEvent(behind));
    SAY(clReleaseEvent(open));
}

// Mistakes, which the driver has to refuse with the same error.
void make_mistakes(const Device& it, cl_command_queue queue) {
    const size_t items = 64, none = 0;
    SAY(clEnqueueNDRangeKernel(queue, nullptr, 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
    SAY(clEnqueueNDRangeKernel(queue, it.add, 4, nullptr, &items, nullptr, 0, nullptr, nullptr));
    SAY(clEnqueueNDRangeKernel(queue, it.add, 1, nullptr, &items, nullptr, 1, nullptr, nullptr));
    SAY(clEnqueueCopyBuffer(queue, it.from, it.to, 0, 0, 2 * kBytes, 0, nullptr, nullptr));
    SAY(clEnqueueReadBuffer(queue, it.to, CL_FALSE, 0, none, nullptr, 0, nullptr, nullptr));
}

void use_queue(const Device& it, cl_command_queue_properties properties) {
    const cl_queue_properties wanted[] = {CL_QUEUE_PROPERTIES, properties, 0};
    cl_int result = 0;
    cl_command_queue queue = clCreateCommandQueueWithProperties(it.context, it.device, wanted, &result);
    say("clCreateCommandQueueWithProperties", result);
    launch_many(it, queue);
    copy_memory(it, queue);
    wait_for_host(it, queue);
    make_mistakes(it, queue);
    SAY(clReleaseCommandQueue(queue));
}

cl_program build(const Device& it) {
    cl_int result = 0;
    const char* source = kSource;
    cl_program program = clCreateProgramWithSource(it.context, 1, &source, nullptr, &result);
    say("clCreateProgramWithSource", result);
    SAY(clBuildProgram(program, 1, &it.device, "", nullptr, nullptr));
    return program;
}

}  // namespace

int main() {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    cl_platform_id platform = nullptr;
    SAY(clGetPlatformIDs(1, &platform, nullptr));
    Device it;
    SAY(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &it.device, nullptr));
    char name[256] = {};
    SAY(clGetDeviceInfo(it.device, CL_DEVICE_NAME, sizeof name, name, nullptr));
    std::printf("device: %s\n", name);
    cl_int result = 0;
    it.context = clCreateContext(nullptr, 1, &it.device, nullptr, nullptr, &result);
    say("clCreateContext", result);
    const cl_program program = build(it);
    it.add = clCreateKernel(program, "add", &result);
    say("clCreateKernel", result);
    it.copy = clCreateKernel(program, "copy", &result);
    say("clCreateKernel", result);
    for (cl_mem* memory : {&it.to, &it.from}) {
        *memory = clCreateBuffer(it.context, CL_MEM_READ_WRITE, kBytes, nullptr, &result);
        say("clCreateBuffer", result);
    }
    SAY(clSetKernelArg(it.add, 0, sizeof it.to, &it.to));
    SAY(clSetKernelArg(it.copy, 0, sizeof it.to, &it.to));
    SAY(clSetKernelArg(it.copy, 1, sizeof it.from, &it.from));
    use_queue(it, 0);
    use_queue(it, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    for (cl_mem memory : {it.to, it.from}) SAY(clReleaseMemObject(memory));
    for (cl_kernel kernel : {it.add, it.copy}) SAY(clReleaseKernel(kernel));
    SAY(clReleaseProgram(program));
    SAY(clReleaseContext(it.context));
    return 0;
}
