// Shared virtual memory: ordinary host memory that every device sees.
#include <cstdlib>

#include "fake/opencl/engine.h"
#include "fake/opencl/settings.h"
#include "fake/opencl/types.h"

namespace {

using FreeFunction = void(CL_CALLBACK*)(cl_command_queue, cl_uint, void*[], void*);

cl_int enqueue_nothing(cl_command_queue queue, cl_command_type type, bool blocking, cl_uint wait_count,
                       const cl_event* wait_list, cl_event* event) {
    if (const cl_int bad = fake::check_queue(queue); bad != CL_SUCCESS) return bad;
    return fake::enqueue({queue, type, wait_count, wait_list, event, blocking});
}

}  // namespace

extern "C" {

void* CL_API_CALL clSVMAlloc(cl_context context, cl_svm_mem_flags, size_t size, cl_uint alignment) {
    if (fake::entry(__func__) != CL_SUCCESS || !fake::good(context) || size == 0) return nullptr;
    const size_t align = alignment == 0 ? 128 : alignment;
    void* memory = nullptr;
    return posix_memalign(&memory, std::max(align, sizeof(void*)), size) == 0 ? memory : nullptr;
}

void CL_API_CALL clSVMFree(cl_context context, void* pointer) {
    if (fake::good(context)) std::free(pointer);
}

cl_int CL_API_CALL clEnqueueSVMFree(cl_command_queue queue, cl_uint count, void* pointers[], FreeFunction function,
                                    void* user_data, cl_uint wait_count, const cl_event* wait_list, cl_event* event) {
    FAKE_ENTRY();
    if (const cl_int bad = fake::check_queue(queue); bad != CL_SUCCESS) return bad;
    if (count == 0 || pointers == nullptr) return CL_INVALID_VALUE;
    std::vector<void*> all(pointers, pointers + count);
    return fake::enqueue({queue, CL_COMMAND_SVM_FREE, wait_count, wait_list, event, false,
                          [queue, all = std::move(all), function, user_data]() mutable {
                              if (function != nullptr) {
                                  function(queue, static_cast<cl_uint>(all.size()), all.data(), user_data);
                              } else {
                                  for (void* one : all) std::free(one);
                              }
                              return CL_SUCCESS;
                          }});
}

cl_int CL_API_CALL clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void* to, const void* from, size_t size,
                                      cl_uint wait_count, const cl_event* wait_list, cl_event* event) {
    FAKE_ENTRY();
    if (const cl_int bad = fake::check_queue(queue); bad != CL_SUCCESS) return bad;
    if (to == nullptr || from == nullptr) return CL_INVALID_VALUE;
    return fake::enqueue(
        {queue, CL_COMMAND_SVM_MEMCPY, wait_count, wait_list, event, blocking != CL_FALSE, [to, from, size] {
             std::memcpy(to, from, size);
             return CL_SUCCESS;
         }});
}

cl_int CL_API_CALL clEnqueueSVMMemFill(cl_command_queue queue, void* to, const void* pattern, size_t pattern_size,
                                       size_t size, cl_uint wait_count, const cl_event* wait_list, cl_event* event) {
    FAKE_ENTRY();
    if (const cl_int bad = fake::check_queue(queue); bad != CL_SUCCESS) return bad;
    if (to == nullptr || pattern == nullptr || pattern_size == 0 || size % pattern_size != 0) return CL_INVALID_VALUE;
    const auto* bytes = static_cast<const unsigned char*>(pattern);
    std::vector<unsigned char> copy(bytes, bytes + pattern_size);
    return fake::enqueue(
        {queue, CL_COMMAND_SVM_MEMFILL, wait_count, wait_list, event, false, [to, size, copy = std::move(copy)] {
             for (size_t at = 0; at < size; at += copy.size()) {
                 std::memcpy(static_cast<unsigned char*>(to) + at, copy.data(), copy.size());
             }
             return CL_SUCCESS;
         }});
}

cl_int CL_API_CALL clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags, void* pointer, size_t size,
                                   cl_uint wait_count, const cl_event* wait_list, cl_event* event) {
    FAKE_ENTRY();
    if (pointer == nullptr || size == 0) return CL_INVALID_VALUE;
    return enqueue_nothing(queue, CL_COMMAND_SVM_MAP, blocking != CL_FALSE, wait_count, wait_list, event);
}

cl_int CL_API_CALL clEnqueueSVMUnmap(cl_command_queue queue, void* pointer, cl_uint wait_count,
                                     const cl_event* wait_list, cl_event* event) {
    FAKE_ENTRY();
    if (pointer == nullptr) return CL_INVALID_VALUE;
    return enqueue_nothing(queue, CL_COMMAND_SVM_UNMAP, false, wait_count, wait_list, event);
}

cl_int CL_API_CALL clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint count, const void** pointers, const size_t*,
                                          cl_mem_migration_flags, cl_uint wait_count, const cl_event* wait_list,
                                          cl_event* event) {
    FAKE_ENTRY();
    if (count == 0 || pointers == nullptr) return CL_INVALID_VALUE;
    return enqueue_nothing(queue, CL_COMMAND_SVM_MIGRATE_MEM, false, wait_count, wait_list, event);
}

cl_mem CL_API_CALL clCreatePipe(cl_context, cl_mem_flags, cl_uint, cl_uint, const cl_pipe_properties*,
                                cl_int* errcode_ret) {
    FAKE_ENTRY_HANDLE(errcode_ret);
    return fake::refuse(errcode_ret, CL_INVALID_OPERATION);
}

cl_int CL_API_CALL clGetPipeInfo(cl_mem, cl_pipe_info, size_t, void*, size_t*) {
    FAKE_ENTRY();
    return CL_INVALID_MEM_OBJECT;
}
}
