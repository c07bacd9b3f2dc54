// Kernels, tasks, native kernels, markers, barriers and migrations.
#include <algorithm>

#include "fake/opencl/builtin_kernels.h"
#include "fake/opencl/engine.h"
#include "fake/opencl/settings.h"
#include "fake/opencl/transfer.h"

namespace {

std::vector<fake::Argument> arguments_of(cl_kernel kernel) {
    const std::lock_guard lock(kernel->mutex);
    return kernel->arguments;
}

cl_int enqueue_kernel(cl_command_queue queue, cl_command_type type, cl_kernel kernel, size_t items, cl_uint wait_count,
                      const cl_event* wait_list, cl_event* event) {
    if (fake::g_settings.noop.load(std::memory_order_relaxed)) {
        return fake::enqueue({queue, type, wait_count, wait_list, event});
    }
    auto arguments = arguments_of(kernel);
    if (!std::all_of(arguments.begin(), arguments.end(), [](const auto& it) { return it.set; })) {
        return CL_INVALID_KERNEL_ARGS;
    }
    const bool late = fake::break_now(fake::Break::kArgs);
    return fake::enqueue({queue, type, wait_count, wait_list, event, false,
                          [arguments = std::move(arguments), items, late, keep = fake::Ref(kernel)] {
                              return fake::run_kernel(keep->source.name, late ? arguments_of(keep.get()) : arguments,
                                                      items);
                          }});
}

}  // namespace

extern "C" {

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint work_dim, const size_t*,
                                          const size_t* global_size, const size_t* local_size, cl_uint wait_count,
                                          const cl_event* wait_list, cl_event* event) {
    FAKE_ENTRY();
    if (const cl_int bad = fake::check_queue(queue); bad != CL_SUCCESS) return bad;
    if (!fake::good(kernel)) return CL_INVALID_KERNEL;
    if (kernel->program->context.get() != queue->context.get()) return CL_INVALID_CONTEXT;
    if (work_dim < 1 || work_dim > 3) return CL_INVALID_WORK_DIMENSION;
    if (global_size == nullptr) return CL_INVALID_GLOBAL_WORK_SIZE;
    size_t items = 1;
    size_t group = 1;
    for (cl_uint i = 0; i < work_dim; ++i) {
        items *= global_size[i];
        if (local_size != nullptr) group *= local_size[i];
    }
    if (group == 0 || group > 1024) return CL_INVALID_WORK_GROUP_SIZE;
    return enqueue_kernel(queue, CL_COMMAND_NDRANGE_KERNEL, kernel, items, wait_count, wait_list, event);
}

cl_int CL_API_CALL clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint wait_count,
                                 const cl_event* wait_list, cl_event* event) {
    FAKE_ENTRY();
    if (const cl_int bad = fake::check_queue(queue); bad != CL_SUCCESS) return bad;
    if (!fake::good(kernel)) return CL_INVALID_KERNEL;
    return enqueue_kernel(queue, CL_COMMAND_TASK, kernel, 1, wait_count, wait_list, event);
}

cl_int CL_API_CALL clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK* function)(void*), void* args,
                                         size_t args_bytes, cl_uint memory_count, const cl_mem* memories,
                                         const void** locations, cl_uint wait_count, const cl_event* wait_list,
                                         cl_event* event) {
    FAKE_ENTRY();
    if (const cl_int bad = fake::check_queue(queue); bad != CL_SUCCESS) return bad;
    if (function == nullptr || (args == nullptr) != (args_bytes == 0)) return CL_INVALID_VALUE;
    if ((memory_count == 0) != (memories == nullptr) || (memory_count == 0) != (locations == nullptr)) {
        return CL_INVALID_VALUE;
    }
    const auto* bytes = static_cast<const unsigned char*>(args);
    std::vector<unsigned char> copy(bytes, bytes + args_bytes);
    std::vector<fake::Ref<_cl_mem>> keep;
    for (cl_uint i = 0; i < memory_count; ++i) {
        if (!fake::good(memories[i])) return CL_INVALID_MEM_OBJECT;
        keep.emplace_back(memories[i]);
        const size_t offset = static_cast<size_t>(static_cast<const unsigned char*>(locations[i]) - bytes);
        if (offset + sizeof(void*) > args_bytes) return CL_INVALID_VALUE;
        std::memcpy(copy.data() + offset, &memories[i]->data, sizeof(void*));
    }
    return fake::enqueue({queue, CL_COMMAND_NATIVE_KERNEL, wait_count, wait_list, event, false,
                          [function, copy = std::move(copy), keep = std::move(keep)]() mutable {
                              function(copy.empty() ? nullptr : copy.data());
                              return CL_SUCCESS;
                          }});
}

cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint wait_count, const cl_event* wait_list,
                                               cl_event* event) {
    FAKE_ENTRY();
    if (const cl_int bad = fake::check_queue(queue); bad != CL_SUCCESS) return bad;
    return fake::enqueue({queue, CL_COMMAND_MARKER, wait_count, wait_list, event});
}

cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint wait_count, const cl_event* wait_list,
                                                cl_event* event) {
    FAKE_ENTRY();
    if (const cl_int bad = fake::check_queue(queue); bad != CL_SUCCESS) return bad;
    return fake::enqueue({queue, CL_COMMAND_BARRIER, wait_count, wait_list, event});
}

cl_int CL_API_CALL clEnqueueMarker(cl_command_queue queue, cl_event* event) {
    FAKE_ENTRY();
    if (const cl_int bad = fake::check_queue(queue); bad != CL_SUCCESS) return bad;
    if (event == nullptr) return CL_INVALID_VALUE;
    return fake::enqueue({queue, CL_COMMAND_MARKER, 0, nullptr, event});
}

cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue queue) {
    FAKE_ENTRY();
    if (const cl_int bad = fake::check_queue(queue); bad != CL_SUCCESS) return bad;
    return fake::enqueue({queue, CL_COMMAND_BARRIER, 0, nullptr, nullptr});
}

cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue queue, cl_uint count, const cl_event* events) {
    FAKE_ENTRY();
    if (const cl_int bad = fake::check_queue(queue); bad != CL_SUCCESS) return bad;
    if (count == 0 || events == nullptr) return CL_INVALID_VALUE;
    return fake::enqueue({queue, CL_COMMAND_BARRIER, count, events, nullptr});
}

cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint count, const cl_mem* memories,
                                              cl_mem_migration_flags, cl_uint wait_count, const cl_event* wait_list,
                                              cl_event* event) {
    FAKE_ENTRY();
    if (const cl_int bad = fake::check_queue(queue); bad != CL_SUCCESS) return bad;
    if (count == 0 || memories == nullptr) return CL_INVALID_VALUE;
    std::vector<fake::Ref<_cl_mem>> keep;
    for (cl_uint i = 0; i < count; ++i) {
        if (!fake::good(memories[i])) return CL_INVALID_MEM_OBJECT;
        keep.emplace_back(memories[i]);
    }
    return fake::enqueue({queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, wait_count, wait_list, event, false,
                          [keep = std::move(keep)] { return CL_SUCCESS; }});
}
}
