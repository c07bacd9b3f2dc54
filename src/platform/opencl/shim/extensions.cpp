#include "platform/opencl/shim/launch.h"  // first: it chooses the version of OpenCL's headers

#include "platform/opencl/shim/extensions.h"

#include <CL/cl_ext_intel.h>

#include <cstring>

#include "base/pointer_map.h"
#include "platform/opencl/shim/new_queue.h"

namespace xsched::opencl {
namespace {

constexpr unsigned kMostDrivers = 3;  // that have the same function

enum ByName : uint32_t {
#define BY_NAME(name) kByName_##name,
#include "entry_points.inc"
    kByNameCount
};

constinit std::atomic<void*> g_drivers[kByNameCount][kMostDrivers] = {};

// Command buffers and the first queue each was recorded for. An entry stays until its address is used again.
constinit base::PointerMap<_cl_command_queue> g_recorded;

}  // namespace

// A command buffer goes to the queues that are named, or else to those it was recorded for.
template <>
cl_command_queue queue_of(const std::tuple<cl_uint, cl_command_queue*, cl_command_buffer_khr, cl_uint,
                                           const cl_event*, cl_event*>& all) {
    const auto& [count, queues, command_buffer, waits, wait_list, event] = all;
    if (count > 0) return queues != nullptr ? queues[0] : nullptr;
    return command_buffer != nullptr ? g_recorded.find(command_buffer) : nullptr;
}

namespace {

// The function of that name of the driver that was asked as number kDriver.
template <ByName kName_, unsigned kDriver>
struct OfDriver;
#define BY_NAME(name)                                                                                         \
    template <unsigned kDriver>                                                                               \
    struct OfDriver<kByName_##name, kDriver> {                                                                \
        using Type = decltype(&name);                                                                         \
        static constexpr const char* kName = #name;                                                           \
        static Type driver() { return reinterpret_cast<Type>(g_drivers[kByName_##name][kDriver].load()); }    \
    };
#include "entry_points.inc"

template <typename Callee>
cl_command_buffer_khr create_command_buffer(cl_uint count, const cl_command_queue* queues,
                                            const cl_command_buffer_properties_khr* properties, cl_int* status) {
    cl_command_buffer_khr made = Callee::driver()(count, queues, properties, status);
    if (made != nullptr && count > 0) g_recorded.insert(made, queues[0]);
    return made;
}

template <typename Callee>
cl_command_queue create_queue(cl_context context, cl_device_id device, const cl_queue_properties_khr* properties,
                              cl_int* status) {
    return note_queue(Callee::driver()(context, device, properties, status), properties);
}

#define CREATION(name, hook)                                                 \
    void* hook_for_##name(unsigned driver) {                                 \
        void* const hooks[kMostDrivers] = {                                  \
            reinterpret_cast<void*>(&hook<OfDriver<kByName_##name, 0>>),     \
            reinterpret_cast<void*>(&hook<OfDriver<kByName_##name, 1>>),     \
            reinterpret_cast<void*>(&hook<OfDriver<kByName_##name, 2>>)};    \
        return hooks[driver];                                                \
    }

CREATION(clCreateCommandBufferKHR, create_command_buffer)
CREATION(clCreateCommandQueueWithPropertiesKHR, create_queue)

template <ByName kName, int kBlockingAt = kNeverBlocks>
void* hook_for(unsigned driver) {
    void* const hooks[kMostDrivers] = {reinterpret_cast<void*>(&Enqueue<OfDriver<kName, 0>, kBlockingAt>::call),
                                       reinterpret_cast<void*>(&Enqueue<OfDriver<kName, 1>, kBlockingAt>::call),
                                       reinterpret_cast<void*>(&Enqueue<OfDriver<kName, 2>, kBlockingAt>::call)};
    return hooks[driver];
}

#define EXTENSION(name) constexpr auto hook_for_##name = &hook_for<kByName_##name>;
#define EXTENSION_BLOCKING(name, at) constexpr auto hook_for_##name = &hook_for<kByName_##name, at>;

EXTENSION(clEnqueueCommandBufferKHR)
EXTENSION(clEnqueueAcquireExternalMemObjectsKHR)
EXTENSION(clEnqueueReleaseExternalMemObjectsKHR)
EXTENSION(clEnqueueMigrateMemObjectEXT)
EXTENSION(clEnqueueMemFillINTEL)
EXTENSION(clEnqueueMemsetINTEL)
EXTENSION_BLOCKING(clEnqueueMemcpyINTEL, 1)
EXTENSION(clEnqueueMigrateMemINTEL)
EXTENSION(clEnqueueMemAdviseINTEL)
EXTENSION(clEnqueueSVMFreeARM)
EXTENSION_BLOCKING(clEnqueueSVMMemcpyARM, 1)
EXTENSION(clEnqueueSVMMemFillARM)
EXTENSION_BLOCKING(clEnqueueSVMMapARM, 1)
EXTENSION(clEnqueueSVMUnmapARM)

struct Known {
    const char* name;
    void* (*hook_for)(unsigned driver);
};
const Known kKnown[kByNameCount] = {
#define BY_NAME(name) {#name, hook_for_##name},
#include "entry_points.inc"
};

// Which number a driver has for this function; kMostDrivers: too many.
unsigned number_of(std::atomic<void*> (&drivers)[kMostDrivers], void* driver) {
    for (unsigned i = 0; i < kMostDrivers; ++i) {
        void* there = nullptr;
        if (drivers[i].compare_exchange_strong(there, driver) || there == driver) return i;
    }
    return kMostDrivers;
}

}  // namespace

void* extension_hook(const char* name, void* driver) {
    for (uint32_t i = 0; i < kByNameCount; ++i) {
        if (std::strcmp(kKnown[i].name, name) != 0) continue;
        const unsigned number = number_of(g_drivers[i], driver);
        if (number < kMostDrivers) return kKnown[i].hook_for(number);
        XLOG_WARN("%s of more than %u OpenCL drivers is in use: the last one's goes unscheduled", name, kMostDrivers);
        return nullptr;
    }
    return nullptr;
}

}  // namespace xsched::opencl
