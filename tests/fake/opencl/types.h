// The platform's objects. Fields that change after construction are guarded by the graph's mutex (engine.h) unless
// a comment says otherwise.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "fake/opencl/object.h"

namespace fake {

class Executor;

template <typename T>
void dispose_as(Object* object) {
    static_cast<T*>(object)->~T();
}

struct EventCallback {
    cl_int type;
    void(CL_CALLBACK* call)(cl_event, cl_int, void*);
    void* data;
};

// A kernel argument as the program last set it.
struct Argument {
    bool set = false;
    std::vector<unsigned char> bytes;  // empty with `set`: local memory of `local_bytes`
    size_t local_bytes = 0;
    Ref<struct _cl_mem> memory;
    void* svm = nullptr;
};

// A region of memory: `base` is its first byte; rows and slices lie a pitch apart.
struct Box {
    unsigned char* base = nullptr;
    size_t row_pitch = 0;
    size_t slice_pitch = 0;
};
struct Extent {
    size_t row_bytes = 0;
    size_t rows = 1;
    size_t slices = 1;
};

enum class ArgumentKind { kMemory, kLocal, kValue };
struct KernelSource {
    std::string name;
    std::vector<ArgumentKind> arguments;
};

}  // namespace fake

struct _cl_platform_id : fake::Object {
    _cl_platform_id() : Object(fake::Kind::kPlatform, nullptr) {}
    std::vector<cl_device_id> devices;
};

struct _cl_device_id : fake::Object {
    _cl_device_id(cl_platform_id its_platform, cl_device_id its_parent, cl_uint its_index, cl_uint its_units);
    ~_cl_device_id();
    cl_platform_id platform;
    fake::Ref<_cl_device_id> parent;
    cl_uint index;
    cl_uint units;
    std::vector<cl_device_partition_property> partition;
    fake::Executor* executor;  // one thread of its own
};

struct _cl_context : fake::Object {
    _cl_context() : Object(fake::Kind::kContext, fake::dispose_as<_cl_context>) {}
    ~_cl_context();
    std::vector<fake::Ref<_cl_device_id>> devices;
    std::vector<cl_context_properties> properties;
    std::mutex mutex;
    std::vector<std::pair<void(CL_CALLBACK*)(cl_context, void*), void*>> destructors;  // under `mutex`
};

struct _cl_command_queue : fake::Object {
    _cl_command_queue() : Object(fake::Kind::kQueue, fake::dispose_as<_cl_command_queue>) {}
    bool out_of_order() const { return (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0; }
    bool profiling() const { return (properties & CL_QUEUE_PROFILING_ENABLE) != 0; }
    bool on_device() const { return (properties & CL_QUEUE_ON_DEVICE) != 0; }
    fake::Ref<_cl_context> context;
    fake::Ref<_cl_device_id> device;
    cl_command_queue_properties properties = 0;
    std::vector<cl_queue_properties> property_list;
    cl_event last = nullptr;     // newest command not complete; in-order queues wait for it
    cl_event barrier = nullptr;  // newest barrier not complete; out-of-order queues wait for it
    std::unordered_set<cl_event> outstanding;
    std::vector<cl_event> unflushed;
};

// An event and the command it stands for are one object.
struct _cl_event : fake::Object {
    _cl_event(fake::Kind its_kind, int its_refs) : Object(its_kind, fake::dispose_as<_cl_event>, its_refs) {}
    fake::Ref<_cl_context> context;
    fake::Ref<_cl_command_queue> queue;  // empty: user event
    cl_command_type type = CL_COMMAND_USER;
    std::atomic<cl_int> status{CL_QUEUED};  // waited on; changes under the graph's mutex
    uint32_t waits = 0;                     // dependencies and flush not yet there
    cl_int failed_by = CL_SUCCESS;          // a dependency's negative status
    cl_int async_failure = CL_SUCCESS;
    std::vector<std::pair<cl_event, bool>> dependents;  // bool: in the wait list, so a failure is passed on
    std::vector<fake::EventCallback> callbacks;
    std::function<cl_int()> action;
    std::atomic<uint64_t> times[5] = {};  // queued, submitted, started, ended, complete
};

struct _cl_mem : fake::Object {
    struct Mapping {
        std::shared_ptr<unsigned char[]> copy;  // what the program sees; null: it sees the target itself
        fake::Box seen;
        fake::Box target;
        fake::Extent extent;
        cl_map_flags flags;
    };
    _cl_mem() : Object(fake::Kind::kMemory, fake::dispose_as<_cl_mem>) {}
    ~_cl_mem();
    bool is_image() const { return type != CL_MEM_OBJECT_BUFFER; }
    fake::Ref<_cl_context> context;
    fake::Ref<_cl_mem> parent;
    cl_mem_object_type type = CL_MEM_OBJECT_BUFFER;
    cl_mem_flags flags = 0;
    size_t size = 0;
    size_t offset = 0;
    unsigned char* data = nullptr;
    void* host_ptr = nullptr;
    std::unique_ptr<unsigned char[]> storage;
    // images
    cl_image_format format{};
    cl_image_desc desc{};
    size_t element_bytes = 0;
    std::mutex mutex;
    std::multimap<void*, Mapping> mappings;                                         // under `mutex`
    std::vector<std::pair<void(CL_CALLBACK*)(cl_mem, void*), void*>> destructors;  // under `mutex`
};

struct _cl_sampler : fake::Object {
    _cl_sampler() : Object(fake::Kind::kSampler, fake::dispose_as<_cl_sampler>) {}
    fake::Ref<_cl_context> context;
    cl_bool normalized = CL_TRUE;
    cl_addressing_mode addressing = CL_ADDRESS_CLAMP;
    cl_filter_mode filter = CL_FILTER_NEAREST;
};

struct _cl_program : fake::Object {
    _cl_program() : Object(fake::Kind::kProgram, fake::dispose_as<_cl_program>) {}
    fake::Ref<_cl_context> context;
    std::string source;
    std::vector<fake::KernelSource> kernels;
    std::atomic<bool> built{false};
};

struct _cl_kernel : fake::Object {
    _cl_kernel() : Object(fake::Kind::kKernel, fake::dispose_as<_cl_kernel>) {}
    fake::Ref<_cl_program> program;
    fake::KernelSource source;
    std::mutex mutex;
    std::vector<fake::Argument> arguments;  // under `mutex`
};

namespace fake {

// Check a handle that the program gives: each function reports misuse and returns whether the handle may be used.
inline bool good(cl_device_id it) { return check_handle(it, Kind::kRootDevice, Kind::kDevice); }
inline bool good(cl_context it) { return check_handle(it, Kind::kContext); }
inline bool good(cl_command_queue it) { return check_handle(it, Kind::kQueue); }
inline bool good(cl_event it) { return check_handle(it, Kind::kEvent, Kind::kUserEvent); }
inline bool good(cl_mem it) { return check_handle(it, Kind::kMemory); }
inline bool good(cl_program it) { return check_handle(it, Kind::kProgram); }
inline bool good(cl_kernel it) { return check_handle(it, Kind::kKernel); }
inline bool good(cl_sampler it) { return check_handle(it, Kind::kSampler); }

// Adds a callback for the object's end, as clSetContextDestructorCallback and clSetMemObjectDestructorCallback do.
template <typename Object, typename Notify>
cl_int add_destructor(Object& object, Notify notify, void* user_data) {
    if (notify == nullptr) return CL_INVALID_VALUE;
    const std::lock_guard lock(object.mutex);
    object.destructors.emplace_back(notify, user_data);
    return CL_SUCCESS;
}

cl_platform_id the_platform();

}  // namespace fake
