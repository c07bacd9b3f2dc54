#include <CL/cl.h>

#include "platform.h"
#include "xsched/opencl/hal.h"

static cl_context g_context;
static cl_command_queue g_queues[kQueues];
static cl_command_queue g_reader;
static cl_mem g_words[kQueues];

int platform_open(void) {
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;
    uint32_t zero = 0;
    int i = 0;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS) return 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) return 0;
    g_context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    g_reader = clCreateCommandQueueWithProperties(g_context, device, NULL, NULL);
    for (i = 0; i < kQueues; ++i) {
        g_queues[i] = clCreateCommandQueueWithProperties(g_context, device, NULL, NULL);
        g_words[i] = clCreateBuffer(g_context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zero, &zero, NULL);
        if (g_queues[i] == NULL || g_words[i] == NULL) return 0;
    }
    return g_reader != NULL;
}

XResult platform_wrap(HwQueueHandle* hwq, int i) { return OclQueueCreate(hwq, g_queues[i]); }

int platform_write(int i, uint32_t value) {
    return clEnqueueFillBuffer(g_queues[i], g_words[i], &value, sizeof value, 0, sizeof value, 0, NULL, NULL) ==
           CL_SUCCESS;
}

uint32_t platform_word(int i) {
    uint32_t value = UINT32_MAX;
    clEnqueueReadBuffer(g_reader, g_words[i], CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL);
    return value;
}

int platform_keeps_commands(void) { return 0; }

void platform_close(void) {
    int i = 0;
    for (i = 0; i < kQueues; ++i) {
        clReleaseMemObject(g_words[i]);
        clReleaseCommandQueue(g_queues[i]);
    }
    clReleaseCommandQueue(g_reader);
    clReleaseContext(g_context);
}
