/* The program beside which others are tried.
 *   neighbour busy     keeps two kernels of about 5 ms on the device
 *   neighbour urgent   runs a kernel of about 2 ms, and pauses for 20 ms
 * Prints how many kernels have ended, again and again; ends with status 0 at SIGTERM, with 1 if anything failed. */
#define CL_TARGET_OPENCL_VERSION 120
#include "neighbour.h"

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char* const kSource =
    "__kernel void count(__global uint* out, uint rounds) {"
    "    uint x = out[0];"
    "    for (uint i = 0; i < rounds; ++i) x = x * 1664525u + 1013904223u;"
    "    out[0] = x;"
    "}";

static void demand(cl_int result, const char* what) {
    if (result == CL_SUCCESS) return;
    fprintf(stderr, "neighbour: %s: error %d\n", what, result);
    exit(1);
}

static cl_event launch(cl_command_queue queue, cl_kernel kernel, cl_uint rounds) {
    const size_t one = 1;
    cl_event event;
    demand(clSetKernelArg(kernel, 1, sizeof rounds, &rounds), "clSetKernelArg");
    demand(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, &event), "clEnqueueNDRangeKernel");
    demand(clFlush(queue), "clFlush");
    return event;
}

static void await(cl_event event) {
    demand(clWaitForEvents(1, &event), "clWaitForEvents");
    demand(clReleaseEvent(event), "clReleaseEvent");
}

struct work {
    cl_command_queue queue;
    cl_kernel kernel;
};

static void run(const void* of, unsigned rounds) {
    const struct work* it = of;
    await(launch(it->queue, it->kernel, rounds));
}

int main(int argc, char** argv) {
    const int urgent = argc > 1 && strcmp(argv[1], "urgent") == 0;
    cl_platform_id platform;
    cl_device_id device;
    cl_int result;
    const cl_uint zero = 0;
    signal(SIGTERM, end);
    demand(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    demand(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &result);
    demand(result, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &result);
    demand(result, "clCreateCommandQueue");
    const char* source = kSource;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &result);
    demand(result, "clCreateProgramWithSource");
    demand(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "count", &result);
    demand(result, "clCreateKernel");
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zero, (void*)&zero, &result);
    demand(result, "clCreateBuffer");
    demand(clSetKernelArg(kernel, 0, sizeof out, (void*)&out), "clSetKernelArg");

    const struct work work = {queue, kernel};
    const cl_uint rounds = rounds_for(urgent ? 2 : 5, run, &work);
    cl_event before = launch(queue, kernel, rounds);
    for (unsigned long done = 0; !g_ended; ++done) {
        printf("%lu\n", done);
        fflush(stdout);
        cl_event next = NULL;
        if (!urgent) next = launch(queue, kernel, rounds);
        await(before);
        if (urgent) usleep(20000);
        before = urgent ? launch(queue, kernel, rounds) : next;
    }
    await(before);
    demand(clFinish(queue), "clFinish");
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
