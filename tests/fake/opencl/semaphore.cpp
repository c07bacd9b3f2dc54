// Semaphores of cl_khr_semaphore, asked for by name. One is a user event in disguise: it is signalled once.
#include "fake/opencl/semaphore.h"

#include "fake/opencl/engine.h"
#include "fake/opencl/settings.h"
#include "fake/opencl/types.h"

namespace fake {
namespace {

cl_event event_of(cl_semaphore_khr semaphore) { return reinterpret_cast<cl_event>(semaphore); }

cl_semaphore_khr CL_API_CALL create_semaphore(cl_context context, const cl_semaphore_properties_khr*, cl_int* code) {
    return reinterpret_cast<cl_semaphore_khr>(clCreateUserEvent(context, code));
}

cl_int CL_API_CALL release_semaphore(cl_semaphore_khr semaphore) { return clReleaseEvent(event_of(semaphore)); }

cl_int CL_API_CALL wait_semaphores(cl_command_queue queue, cl_uint count, const cl_semaphore_khr* semaphores,
                                   const cl_semaphore_payload_khr*, cl_uint wait_count, const cl_event* wait_list,
                                   cl_event* event) {
    if (const cl_int bad = check_queue(queue); bad != CL_SUCCESS) return bad;
    std::vector<cl_event> all(wait_list, wait_list + wait_count);
    for (cl_uint i = 0; i < count; ++i) all.push_back(event_of(semaphores[i]));
    return enqueue({queue, CL_COMMAND_SEMAPHORE_WAIT_KHR, static_cast<cl_uint>(all.size()),
                    all.empty() ? nullptr : all.data(), event});
}

cl_int CL_API_CALL signal_semaphores(cl_command_queue queue, cl_uint count, const cl_semaphore_khr* semaphores,
                                     const cl_semaphore_payload_khr*, cl_uint wait_count, const cl_event* wait_list,
                                     cl_event* event) {
    if (const cl_int bad = check_queue(queue); bad != CL_SUCCESS) return bad;
    const std::vector<cl_semaphore_khr> all(semaphores, semaphores + count);
    return enqueue({queue, CL_COMMAND_SEMAPHORE_SIGNAL_KHR, wait_count, wait_list, event, false, [all] {
                        for (cl_semaphore_khr semaphore : all) set_user_status(event_of(semaphore), CL_COMPLETE);
                        return CL_SUCCESS;
                    }});
}

}  // namespace

void* semaphore_function(const char* name) {
    if (std::strcmp(name, "clCreateSemaphoreWithPropertiesKHR") == 0) return reinterpret_cast<void*>(&create_semaphore);
    if (std::strcmp(name, "clReleaseSemaphoreKHR") == 0) return reinterpret_cast<void*>(&release_semaphore);
    if (std::strcmp(name, "clEnqueueWaitSemaphoresKHR") == 0) return reinterpret_cast<void*>(&wait_semaphores);
    if (std::strcmp(name, "clEnqueueSignalSemaphoresKHR") == 0) return reinterpret_cast<void*>(&signal_semaphores);
    return nullptr;
}

}  // namespace fake
