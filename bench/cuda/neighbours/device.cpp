#include "device.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "busy_kernel.h"

namespace neighbours {
namespace {

constexpr unsigned kBlockThreads = 256;

Handle g_context = nullptr;
Handle g_kernel = nullptr;

[[noreturn]] void fail(const char* what, long code) {
    fprintf(stderr, "neighbours: %s failed (%ld)\n", what, code);
    exit(3);
}

template <typename... Arguments>
using Function = int (*)(Arguments...);

void* found(const char* name) {
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == nullptr) fail("opening libcuda.so.1", 0);
    void* const function = dlsym(library, name);
    if (function == nullptr) fail(name, -1);
    return function;
}

void check(int code, const char* name) {
    if (code != 0) fail(name, code);
}

}  // namespace

// The function by name, looked up once.
#define DEVICE_CALL(name, types, ...)                                                \
    do {                                                                             \
        static const auto function = reinterpret_cast<Function<types>>(found(name)); \
        check(function(__VA_ARGS__), name);                                          \
    } while (false)
#define DEVICE_TYPES(...) __VA_ARGS__

int64_t now_ns() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void open_device() {
    int device = 0;
    DEVICE_CALL("cuInit", DEVICE_TYPES(unsigned), 0);
    DEVICE_CALL("cuDeviceGet", DEVICE_TYPES(int*, int), &device, 0);
    DEVICE_CALL("cuDevicePrimaryCtxRetain", DEVICE_TYPES(Handle*, int), &g_context, device);
    use_device();
    g_kernel = load_module().kernel;
}
void use_device() { DEVICE_CALL("cuCtxSetCurrent", DEVICE_TYPES(Handle), g_context); }

Pointer allocate(size_t bytes) {
    Pointer memory = 0;
    DEVICE_CALL("cuMemAlloc_v2", DEVICE_TYPES(Pointer*, size_t), &memory, bytes);
    return memory;
}
void release(Pointer memory) { DEVICE_CALL("cuMemFree_v2", DEVICE_TYPES(Pointer), memory); }
uint32_t* host_memory(size_t bytes, bool pinned) {
    void* memory = nullptr;
    if (pinned)
        DEVICE_CALL("cuMemHostAlloc", DEVICE_TYPES(void**, size_t, unsigned), &memory, bytes, 0);
    else
        memory = malloc(bytes);
    if (memory == nullptr) fail("allocating host memory", 0);
    return static_cast<uint32_t*>(memory);
}

void release_pinned(void* memory) { DEVICE_CALL("cuMemFreeHost", DEVICE_TYPES(void*), memory); }

Module load_module() {
    Module made;
    DEVICE_CALL("cuModuleLoadData", DEVICE_TYPES(Handle*, const void*), &made.module, busy::kBusyPtx);
    DEVICE_CALL("cuModuleGetFunction", DEVICE_TYPES(Handle*, Handle, const char*), &made.kernel, made.module, "busy");
    return made;
}
void unload(const Module& module) { DEVICE_CALL("cuModuleUnload", DEVICE_TYPES(Handle), module.module); }

void use(const Context& context) { DEVICE_CALL("cuCtxSetCurrent", DEVICE_TYPES(Handle), context.context); }

std::vector<Context> make_contexts(unsigned count) {
    std::vector<Context> made(count);
    for (Context& one : made) {
        DEVICE_CALL("cuCtxCreate_v2", DEVICE_TYPES(Handle*, unsigned, int), &one.context, 0, 0);
        one.kernel = load_module().kernel;
    }
    use_device();
    return made;
}

namespace {

// CUdevResource of the driver's header: the kind of a resource, and the resource.
struct Resource {
    int type = 0;
    unsigned char internal[92] = {};
    unsigned multiprocessors = 0;
    unsigned char rest[44] = {};
};
static_assert(sizeof(Resource) == 144);

constexpr int kMultiprocessors = 1;  // a kind of resource
constexpr unsigned kDefaultStream = 1;
constexpr unsigned kNonBlocking = 1;

std::vector<Resource> equal_parts(unsigned count) {
    Resource all;
    DEVICE_CALL("cuDeviceGetDevResource", DEVICE_TYPES(int, Resource*, int), 0, &all, kMultiprocessors);
    std::vector<Resource> parts(count);
    DEVICE_CALL("cuDevSmResourceSplitByCount",
                DEVICE_TYPES(Resource*, unsigned*, const Resource*, Resource*, unsigned, unsigned), parts.data(),
                &count, &all, nullptr, 0, all.multiprocessors / count);
    parts.resize(count);
    return parts;
}

}  // namespace

std::vector<Context> make_green_contexts(unsigned count) {
    std::vector<Context> made;
    for (Resource& part : equal_parts(count)) {
        Handle description = nullptr;
        DEVICE_CALL("cuDevResourceGenerateDesc", DEVICE_TYPES(Handle*, Resource*, unsigned), &description, &part, 1);
        Context one;
        DEVICE_CALL("cuGreenCtxCreate", DEVICE_TYPES(Handle*, Handle, int, unsigned), &one.green, description, 0,
                    kDefaultStream);
        DEVICE_CALL("cuCtxFromGreenCtx", DEVICE_TYPES(Handle*, Handle), &one.context, one.green);
        use(one);
        one.kernel = load_module().kernel;
        made.push_back(one);
    }
    use_device();
    return made;
}

Handle make_stream_in(const Context& context) {
    if (context.green == nullptr) return make_stream();
    Handle stream = nullptr;
    DEVICE_CALL("cuGreenCtxStreamCreate", DEVICE_TYPES(Handle*, Handle, unsigned, int), &stream, context.green,
                kNonBlocking, 0);
    return stream;
}

void fill_zero(Pointer memory, size_t bytes) {
    DEVICE_CALL("cuMemsetD8_v2", DEVICE_TYPES(Pointer, unsigned char, size_t), memory, 0, bytes);
}

Handle make_stream() {
    Handle stream = nullptr;
    DEVICE_CALL("cuStreamCreate", DEVICE_TYPES(Handle*, unsigned), &stream, 1);
    return stream;
}
Handle make_event(bool timed) {
    Handle event = nullptr;
    DEVICE_CALL("cuEventCreate", DEVICE_TYPES(Handle*, unsigned), &event, timed ? 0 : 2);
    return event;
}
void copy_in(Pointer to, const void* from, size_t bytes, Handle stream) {
    DEVICE_CALL("cuMemcpyHtoDAsync_v2", DEVICE_TYPES(Pointer, const void*, size_t, Handle), to, from, bytes, stream);
}
void copy_out(void* to, Pointer from, size_t bytes, Handle stream) {
    DEVICE_CALL("cuMemcpyDtoHAsync_v2", DEVICE_TYPES(void*, Pointer, size_t, Handle), to, from, bytes, stream);
}
void record(Handle event, Handle stream) { DEVICE_CALL("cuEventRecord", DEVICE_TYPES(Handle, Handle), event, stream); }
void wait_for(Handle stream, Handle event) {
    DEVICE_CALL("cuStreamWaitEvent", DEVICE_TYPES(Handle, Handle, unsigned), stream, event, 0);
}
void begin_capture(Handle stream) {
    constexpr int kThreadLocal = 1;
    DEVICE_CALL("cuStreamBeginCapture_v2", DEVICE_TYPES(Handle, int), stream, kThreadLocal);
}
Handle end_capture(Handle stream) {
    Handle graph = nullptr;
    Handle executable = nullptr;
    DEVICE_CALL("cuStreamEndCapture", DEVICE_TYPES(Handle, Handle*), stream, &graph);
    DEVICE_CALL("cuGraphInstantiateWithFlags", DEVICE_TYPES(Handle*, Handle, unsigned long long), &executable, graph,
                0);
    return executable;
}
void launch_graph(Handle executable, Handle stream) {
    DEVICE_CALL("cuGraphLaunch", DEVICE_TYPES(Handle, Handle), executable, stream);
}
void wait_event(Handle event) { DEVICE_CALL("cuEventSynchronize", DEVICE_TYPES(Handle), event); }
void wait_stream(Handle stream) { DEVICE_CALL("cuStreamSynchronize", DEVICE_TYPES(Handle), stream); }
double elapsed_us(Handle begin, Handle end) {
    float ms = 0;
    DEVICE_CALL("cuEventElapsedTime", DEVICE_TYPES(float*, Handle, Handle), &ms, begin, end);
    return ms * 1000.0;
}
void launch_steps(Pointer words, size_t count, uint32_t steps, Handle stream, Handle kernel) {
    void* parameters[] = {&words, &steps};
    const unsigned blocks = static_cast<unsigned>(count / kBlockThreads);
    DEVICE_CALL("cuLaunchKernel",
                DEVICE_TYPES(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle,
                             void**, void**),
                kernel != nullptr ? kernel : g_kernel, blocks, 1, 1, kBlockThreads, 1, 1, 0, stream, parameters,
                nullptr);
}
uint32_t stepped(uint32_t word, uint64_t steps) { return busy::stepped(word, steps); }

}  // namespace neighbours
