// Command queues.
#include <algorithm>

#include "fake/opencl/engine.h"
#include "fake/opencl/settings.h"
#include "fake/opencl/types.h"

using fake::give;
using fake::refuse;

namespace {

cl_command_queue make_queue(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                            std::vector<cl_queue_properties> list, cl_int* errcode_ret) {
    if (!fake::good(context)) return refuse(errcode_ret, CL_INVALID_CONTEXT);
    if (!fake::good(device)) return refuse(errcode_ret, CL_INVALID_DEVICE);
    const auto& devices = context->devices;
    if (std::none_of(devices.begin(), devices.end(), [device](const auto& it) { return it.get() == device; })) {
        return refuse(errcode_ret, CL_INVALID_DEVICE);
    }
    constexpr cl_command_queue_properties kKnown = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE |
                                                   CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
    if ((properties & ~kKnown) != 0) return refuse(errcode_ret, CL_INVALID_VALUE);
    auto* queue = new _cl_command_queue;
    queue->context = fake::Ref(context);
    queue->device = fake::Ref(device);
    queue->properties = properties;
    queue->property_list = std::move(list);
    fake::put_error(errcode_ret, CL_SUCCESS);
    return queue;
}

}  // namespace

extern "C" {

cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id device,
                                                  cl_command_queue_properties properties, cl_int* errcode_ret) {
    FAKE_ENTRY_HANDLE(errcode_ret);
    return make_queue(context, device, properties, {}, errcode_ret);
}

cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                                const cl_queue_properties* properties,
                                                                cl_int* errcode_ret) {
    FAKE_ENTRY_HANDLE(errcode_ret);
    cl_command_queue_properties bits = 0;
    std::vector<cl_queue_properties> list;
    for (const auto* it = properties; it != nullptr && it[0] != 0; it += 2) {
        if (it[0] == CL_QUEUE_PROPERTIES) {
            bits = it[1];
        } else if (it[0] != CL_QUEUE_SIZE && it[0] != CL_QUEUE_PRIORITY_KHR) {
            return refuse(errcode_ret, CL_INVALID_VALUE);
        }
        list.insert(list.end(), it, it + 2);
    }
    if (properties != nullptr) list.push_back(0);
    return make_queue(context, device, bits, std::move(list), errcode_ret);
}

cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info name, size_t room, void* value,
                                         size_t* size_ret) {
    FAKE_ENTRY();
    if (!fake::good(queue)) return CL_INVALID_COMMAND_QUEUE;
    switch (name) {
        case CL_QUEUE_CONTEXT: return give(queue->context.get(), room, value, size_ret);
        case CL_QUEUE_DEVICE: return give(queue->device.get(), room, value, size_ret);
        case CL_QUEUE_REFERENCE_COUNT: return give(static_cast<cl_uint>(queue->refs.load()), room, value, size_ret);
        case CL_QUEUE_PROPERTIES: return give(queue->properties, room, value, size_ret);
        case CL_QUEUE_PROPERTIES_ARRAY: return fake::give_array(queue->property_list, room, value, size_ret);
        case CL_QUEUE_SIZE:
            if (!queue->on_device()) return CL_INVALID_COMMAND_QUEUE;
            return give(cl_uint{16384}, room, value, size_ret);
        case CL_QUEUE_DEVICE_DEFAULT: return give(cl_command_queue{}, room, value, size_ret);
        default: return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clSetCommandQueueProperty(cl_command_queue queue, cl_command_queue_properties, cl_bool,
                                             cl_command_queue_properties*) {
    FAKE_ENTRY();
    if (!fake::good(queue)) return CL_INVALID_COMMAND_QUEUE;
    return CL_INVALID_OPERATION;
}

cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device, cl_command_queue queue) {
    FAKE_ENTRY();
    if (!fake::good(context)) return CL_INVALID_CONTEXT;
    if (!fake::good(device)) return CL_INVALID_DEVICE;
    return fake::good(queue) && queue->on_device() ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

cl_int CL_API_CALL clFlush(cl_command_queue queue) {
    FAKE_ENTRY();
    if (!fake::good(queue)) return CL_INVALID_COMMAND_QUEUE;
    fake::flush(queue);
    return CL_SUCCESS;
}

cl_int CL_API_CALL clFinish(cl_command_queue queue) {
    FAKE_ENTRY();
    if (!fake::good(queue)) return CL_INVALID_COMMAND_QUEUE;
    if (!fake::may_block("clFinish")) return CL_INVALID_OPERATION;
    const fake::Ref<_cl_command_queue> keep(queue);
    fake::wait_all(queue);
    return CL_SUCCESS;
}
}
