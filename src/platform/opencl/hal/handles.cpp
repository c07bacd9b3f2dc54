#include "platform/opencl/hal/handles.h"

#include <link.h>

#include <cstddef>
#include <cstdint>

#include "base/probe.h"

namespace xsched::opencl {
namespace {

constexpr cl_uint kMostPlatforms = 64;
// cl_khr_icd: every object begins with a pointer to its driver's table of functions, in which these two have these
// places.
constexpr size_t kPlaceOfContextInfo = 8;
constexpr size_t kPlaceOfQueueInfo = 12;

struct Code {
    uintptr_t address;
    uintptr_t library;  // where it is loaded
};

int find_library(dl_phdr_info* library, size_t, void* data) {
    Code& code = *static_cast<Code*>(data);
    for (int i = 0; i < library->dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = library->dlpi_phdr[i];
        const uintptr_t begin = library->dlpi_addr + part.p_vaddr;
        if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
        if (code.address < begin || code.address - begin >= part.p_memsz) continue;
        code.library = library->dlpi_addr;
        return 1;
    }
    return 0;
}

// Returns the library that a table's functions are in; 0: it is no such table. (The virtual functions of a C++ object
// would pass, if the library were not checked.)
uintptr_t library_of(const void* table) {
    uintptr_t entries[kPlaceOfQueueInfo + 1] = {};
    if (!base::read_object(table, &entries)) return 0;
    Code context{entries[kPlaceOfContextInfo], 0};
    Code queue{entries[kPlaceOfQueueInfo], 0};
    if (dl_iterate_phdr(find_library, &context) == 0 || dl_iterate_phdr(find_library, &queue) == 0) return 0;
    return context.library == queue.library ? queue.library : 0;
}

// Returns the first word of an OpenCL object, the address of its table of functions; nullptr: this address cannot be an
// object.
const void* table_of(const void* object) {
    const void* table = nullptr;
    if (reinterpret_cast<uintptr_t>(object) % alignof(void*) != 0 || !base::read_object(object, &table)) return nullptr;
    return table;
}

bool is_object(const ClApi& api, const void* object) {
    const void* const table = table_of(object);
    cl_platform_id platforms[kMostPlatforms];
    cl_uint count = 0;
    if (table == nullptr || api.clGetPlatformIDs(kMostPlatforms, platforms, &count) != CL_SUCCESS) return false;
    const uintptr_t library = library_of(table);
    bool all_have_tables = true;
    for (cl_uint i = 0; i < count && i < kMostPlatforms; ++i) {
        const void* const of_platform = table_of(platforms[i]);
        if (of_platform == table) return true;
        const uintptr_t its_library = of_platform != nullptr ? library_of(of_platform) : 0;
        if (its_library != 0 && its_library == library) return true;  // a driver with several tables
        all_have_tables &= its_library != 0;
    }
    // If a platform's objects have no such tables, its driver is used without a loader. Its objects cannot be checked
    // then, so any object may be valid.
    return !all_have_tables;
}

}  // namespace

bool is_queue(const ClApi& api, cl_command_queue queue) {
    if (!is_object(api, queue)) return false;
    cl_uint references = 0;  // of a queue that is gone, whose memory was not used since: 0
    cl_context context = nullptr;
    cl_device_id device = nullptr;
    const auto ask = [&](cl_command_queue_info what, auto* value) {
        return api.clGetCommandQueueInfo(queue, what, sizeof *value, value, nullptr) == CL_SUCCESS;
    };
    return ask(CL_QUEUE_REFERENCE_COUNT, &references) && references > 0 && ask(CL_QUEUE_CONTEXT, &context) &&
           is_object(api, context) && ask(CL_QUEUE_DEVICE, &device) && is_object(api, device);
}

}  // namespace xsched::opencl
