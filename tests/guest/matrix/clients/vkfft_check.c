/* VkFFT on OpenCL: a transform there and back gives what was there. */
#define VKFFT_BACKEND 3
#define CL_TARGET_OPENCL_VERSION 120
#include <math.h>
#include <stdio.h>
#include <vkFFT.h>

enum { SIZE = 4096, ROUNDS = 20 };

int main(void) {
    cl_platform_id platform;
    cl_device_id device;
    cl_int result;
    if (clGetPlatformIDs(1, &platform, NULL)) return 1;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return 1;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &result);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &result);
    static float data[2 * SIZE], seen[2 * SIZE];
    for (int i = 0; i < 2 * SIZE; ++i) data[i] = (float)(i % 97) / 97.0f;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof data, data, &result);
    uint64_t size = sizeof data;
    VkFFTConfiguration configuration = {0};
    VkFFTApplication application = {0};
    configuration.FFTdim = 1;
    configuration.size[0] = SIZE;
    configuration.normalize = 1;
    configuration.platform = &platform;
    configuration.device = &device;
    configuration.context = &context;
    configuration.buffer = &buffer;
    configuration.bufferSize = &size;
    if (initializeVkFFT(&application, configuration) != VKFFT_SUCCESS) return 2;
    VkFFTLaunchParams launch = {0};
    launch.buffer = &buffer;
    launch.commandQueue = &queue;
    for (int round = 0; round < ROUNDS; ++round)
        if (VkFFTAppend(&application, -1, &launch) || VkFFTAppend(&application, 1, &launch)) return 3;
    if (clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL)) return 4;
    float farthest = 0;
    for (int i = 0; i < 2 * SIZE; ++i) farthest = fmaxf(farthest, fabsf(seen[i] - data[i]));
    deleteVkFFT(&application);
    puts(farthest < 1e-3f ? "right" : "wrong");
    return 0;
}
