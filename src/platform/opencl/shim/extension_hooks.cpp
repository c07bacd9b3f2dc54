#include <CL/cl_ext.h>
#ifndef cl_intel_unified_shared_memory  // headers before 2022 have Intel's extensions in a file of their own
#include <CL/cl_ext_intel.h>
#endif

#include <cstring>

#include "base/new_functions.h"
#include "base/pointer_map.h"
#include "platform/opencl/shim/extensions.h"
#include "platform/opencl/shim/launch.h"
#include "platform/opencl/shim/shapes.h"

namespace xsched::opencl {
namespace {

constexpr unsigned kMostDrivers = 3;  // that have the same function

enum ByName : uint32_t {
#define BY_NAME(name, ...) kByName_##name,
#include "entry_points.inc"
    kByNameCount
};

constinit std::atomic<void*> g_drivers[kByNameCount][kMostDrivers] = {};

// Command buffers and the first queue each was recorded for. An entry stays until its address is used again.
constinit base::PointerMap<_cl_command_queue> g_recorded;

}  // namespace

// Returns the queue to which a command buffer goes: the one that the call names, otherwise the one for which it was
// recorded.
template <>
cl_command_queue queue_of(
    const std::tuple<cl_uint, cl_command_queue*, cl_command_buffer_khr, cl_uint, const cl_event*, cl_event*>& all) {
    const auto& [count, queues, command_buffer, waits, wait_list, event] = all;
    if (count > 0) return queues != nullptr ? queues[0] : nullptr;
    return command_buffer != nullptr ? g_recorded.find(command_buffer) : nullptr;
}

namespace {

template <ByName>
inline constexpr Traits kTraitsByName{};
#define TRAITS_BY_NAME(name, ...) \
    template <>                   \
    inline constexpr Traits kTraitsByName<kByName_##name>{__VA_ARGS__};
#include "functions.inc"

// The hook for one function by name and one driver: kDriver is the number of the driver among those that were asked for
// the function.
template <ByName kName_, unsigned kDriver>
struct OfDriver;
#define BY_NAME(name, ...)                                                                                 \
    template <unsigned kDriver>                                                                            \
    struct OfDriver<kByName_##name, kDriver> {                                                             \
        using Type = decltype(&name);                                                                      \
        static constexpr const char* kName = #name;                                                        \
        static constexpr CopyBytes kCopy = kTraitsByName<kByName_##name>.copy;                             \
        static Type driver() { return reinterpret_cast<Type>(g_drivers[kByName_##name][kDriver].load()); } \
    };
#include "entry_points.inc"

template <typename Callee>
cl_command_buffer_khr create_command_buffer(cl_uint count, const cl_command_queue* queues,
                                            const cl_command_buffer_properties_khr* properties, cl_int* status) {
    cl_command_buffer_khr made = Callee::driver()(count, queues, properties, status);
    if (made != nullptr && count > 0) g_recorded.insert(made, queues[0]);
    return made;
}

struct Known {
    const char* name;
    void* (*hook_for)(unsigned driver);
};

template <typename Function>
void* address(Function* function) {
    return reinterpret_cast<void*>(function);
}

#define HOOK_OF(name, driver, shape, ...) \
    address<std::remove_pointer_t<decltype(&name)>>(shape<OfDriver<kByName_##name, driver> __VA_OPT__(, ) __VA_ARGS__>)
const Known kKnown[kByNameCount] = {
#define BY_NAME(name, ...)                                                                                \
    {#name, [](unsigned driver) {                                                                         \
         void* const hooks[kMostDrivers] = {HOOK_OF(name, 0, __VA_ARGS__), HOOK_OF(name, 1, __VA_ARGS__), \
                                            HOOK_OF(name, 2, __VA_ARGS__)};                               \
         return hooks[driver];                                                                            \
     }},
#include "entry_points.inc"
};

// Returns the number that this driver has for the function; kMostDrivers: there are too many drivers.
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

// Returns whether the name is an extension's or an exported function, hooked or not.
static bool is_known(const char* name) {
    for (const char* known : {
#define ENTRY_POINT(known) #known,
#define BY_NAME(known, ...) #known,
#include "entry_points.inc"
         })
        if (std::strcmp(known, name) == 0) return true;
    return false;
}

void* ours_instead(void* driver, const char* name) {
    if (driver == nullptr || name == nullptr) return driver;
    void* hook = hook_named(name);
    if (hook == nullptr) hook = extension_hook(name, driver);
    if (hook == nullptr && !is_known(name)) base::tell_new_function(name);
    return hook != nullptr ? hook : driver;
}

}  // namespace xsched::opencl
