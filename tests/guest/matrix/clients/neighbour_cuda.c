/* The program beside which others are tried, on CUDA's driver: as neighbour.c. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "neighbour.h"

static const char* const kKernel =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry count(.param .u64 out, .param .u32 rounds) {\n"
    ".reg .u32 %r<4>; .reg .u64 %a; .reg .pred %p;\n"
    "ld.param.u64 %a, [out]; ld.param.u32 %r1, [rounds]; cvta.to.global.u64 %a, %a; ld.global.u32 %r2, [%a];\n"
    "L: mad.lo.u32 %r2, %r2, 1664525, 1013904223; sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra L;\n"
    "st.global.u32 [%a], %r2; ret; }\n";

static void* function(const char* name) {
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    void* found = library != NULL ? dlsym(library, name) : NULL;
    if (found == NULL) {
        fprintf(stderr, "neighbour: %s is not there\n", name);
        exit(1);
    }
    return found;
}

#define CALL(name, types, arguments)                                    \
    do {                                                                \
        const int result = ((int(*) types)function(name))arguments;     \
        if (result != 0) {                                              \
            fprintf(stderr, "neighbour: %s: error %d\n", name, result); \
            exit(1);                                                    \
        }                                                               \
    } while (0)

typedef void* handle;

static void launch(handle kernel, unsigned long long out, unsigned rounds) {
    void* arguments[] = {&out, &rounds};
    CALL("cuLaunchKernel",
         (handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle, void**, void**),
         (kernel, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
}

static void await(void) { CALL("cuCtxSynchronize", (void), ()); }

struct work {
    handle kernel;
    unsigned long long out;
};

static void run(const void* of, unsigned rounds) {
    const struct work* it = of;
    launch(it->kernel, it->out, rounds);
    await();
}

int main(int argc, char** argv) {
    const int urgent = argc > 1 && strcmp(argv[1], "urgent") == 0;
    int device;
    handle context, module, kernel;
    unsigned long long out;
    signal(SIGTERM, end);
    CALL("cuInit", (unsigned), (0));
    CALL("cuDeviceGet", (int*, int), (&device, 0));
    CALL("cuDevicePrimaryCtxRetain", (handle*, int), (&context, device));
    CALL("cuCtxSetCurrent", (handle), (context));
    CALL("cuModuleLoadData", (handle*, const void*), (&module, kKernel));
    CALL("cuModuleGetFunction", (handle*, handle, const char*), (&kernel, module, "count"));
    CALL("cuMemAlloc_v2", (unsigned long long*, size_t), (&out, 4));
    CALL("cuMemsetD32_v2", (unsigned long long, unsigned, size_t), (out, 0, 1));
    const struct work work = {kernel, out};
    const unsigned rounds = rounds_for(urgent ? 2 : 5, run, &work);
    for (unsigned long done = 0; !g_ended; ++done) {
        printf("%lu\n", done);
        fflush(stdout);
        launch(kernel, out, rounds);
        if (!urgent) launch(kernel, out, rounds);
        await();
        if (urgent) usleep(20000);
    }
    CALL("cuDevicePrimaryCtxRelease_v2", (int), (device));
    return 0;
}
