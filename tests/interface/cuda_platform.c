/* An ordinary program of the driver's interface; it opens the driver by name, as the CUDA runtime does. */
#include <dlfcn.h>

#include "platform.h"
#include "xsched/cuda/hal.h"

typedef unsigned long long Pointer;

static int (*cuInit)(unsigned);
static int (*cuDevicePrimaryCtxRetain)(void** context, int device);
static int (*cuDevicePrimaryCtxRelease)(int device);
static int (*cuCtxSetCurrent)(void* context);
static int (*cuStreamCreate)(CUstream* stream, unsigned flags);
static int (*cuStreamDestroy)(CUstream stream);
static int (*cuMemHostAlloc)(void** memory, size_t bytes, unsigned flags);
static int (*cuMemHostGetDevicePointer)(Pointer* pointer, void* memory, unsigned flags);
static int (*cuMemFreeHost)(void* memory);
static int (*cuMemsetD32Async)(Pointer to, unsigned value, size_t count, CUstream stream);

static CUstream g_streams[kQueues];
static volatile uint32_t* g_words;
static Pointer g_pointer;

static void* find(void* library, const char* name, const char* newer) {
    void* found = newer != NULL ? dlsym(library, newer) : NULL;
    return found != NULL ? found : dlsym(library, name);
}

int platform_open(void) {
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    void* context = NULL;
    void* memory = NULL;
    int i = 0;
    if (library == NULL) return 0;
    *(void**)&cuInit = find(library, "cuInit", NULL);
    *(void**)&cuDevicePrimaryCtxRetain = find(library, "cuDevicePrimaryCtxRetain", NULL);
    *(void**)&cuDevicePrimaryCtxRelease = find(library, "cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxRelease_v2");
    *(void**)&cuCtxSetCurrent = find(library, "cuCtxSetCurrent", NULL);
    *(void**)&cuStreamCreate = find(library, "cuStreamCreate", NULL);
    *(void**)&cuStreamDestroy = find(library, "cuStreamDestroy", "cuStreamDestroy_v2");
    *(void**)&cuMemHostAlloc = find(library, "cuMemHostAlloc", NULL);
    *(void**)&cuMemHostGetDevicePointer =
        find(library, "cuMemHostGetDevicePointer", "cuMemHostGetDevicePointer_v2");
    *(void**)&cuMemFreeHost = find(library, "cuMemFreeHost", NULL);
    *(void**)&cuMemsetD32Async = find(library, "cuMemsetD32Async", NULL);
    if (cuInit(0) != 0 || cuDevicePrimaryCtxRetain(&context, 0) != 0 || cuCtxSetCurrent(context) != 0) return 0;
    if (cuMemHostAlloc(&memory, kQueues * sizeof(uint32_t), 2) != 0) return 0;
    if (cuMemHostGetDevicePointer(&g_pointer, memory, 0) != 0) return 0;
    g_words = (volatile uint32_t*)memory;
    for (i = 0; i < kQueues; ++i) {
        g_words[i] = 0;
        if (cuStreamCreate(&g_streams[i], 1) != 0) return 0;
    }
    return 1;
}

XResult platform_wrap(HwQueueHandle* hwq, int i) { return CudaQueueCreate(hwq, g_streams[i]); }

int platform_write(int i, uint32_t value) {
    return cuMemsetD32Async(g_pointer + (Pointer)i * sizeof(uint32_t), value, 1, g_streams[i]) == 0;
}

uint32_t platform_word(int i) { return g_words[i]; }

int platform_keeps_commands(void) { return 1; }

void platform_close(void) {
    int i = 0;
    for (i = 0; i < kQueues; ++i) cuStreamDestroy(g_streams[i]);
    cuMemFreeHost((void*)g_words);
    cuDevicePrimaryCtxRelease(0);
}
