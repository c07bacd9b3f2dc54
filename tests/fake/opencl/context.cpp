// Contexts.
#include <algorithm>

#include "fake/opencl/settings.h"
#include "fake/opencl/types.h"

using fake::give;
using fake::give_array;
using fake::refuse;

_cl_context::~_cl_context() {
    for (auto it = destructors.rbegin(); it != destructors.rend(); ++it) it->first(this, it->second);
}

extern "C" {

cl_context CL_API_CALL clCreateContext(const cl_context_properties* properties, cl_uint num_devices,
                                       const cl_device_id* devices,
                                       void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*),
                                       void* user_data, cl_int* errcode_ret) {
    FAKE_ENTRY_HANDLE(errcode_ret);
    if (num_devices == 0 || devices == nullptr) return refuse(errcode_ret, CL_INVALID_VALUE);
    if (notify == nullptr && user_data != nullptr) return refuse(errcode_ret, CL_INVALID_VALUE);
    if (!std::all_of(devices, devices + num_devices, [](cl_device_id it) { return fake::good(it); })) {
        return refuse(errcode_ret, CL_INVALID_DEVICE);
    }
    auto* context = new _cl_context;
    for (cl_uint i = 0; i < num_devices; ++i) context->devices.emplace_back(devices[i]);
    for (const auto* it = properties; it != nullptr; it += 2) {
        context->properties.push_back(it[0]);
        if (it[0] == 0) break;
        context->properties.push_back(it[1]);
    }
    fake::put_error(errcode_ret, CL_SUCCESS);
    return context;
}

cl_context CL_API_CALL clCreateContextFromType(const cl_context_properties* properties, cl_device_type type,
                                               void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*),
                                               void* user_data, cl_int* errcode_ret) {
    FAKE_ENTRY_HANDLE(errcode_ret);
    if ((type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT)) == 0) return refuse(errcode_ret, CL_DEVICE_NOT_FOUND);
    const auto& devices = fake::the_platform()->devices;
    return clCreateContext(properties, static_cast<cl_uint>(devices.size()), devices.data(), notify, user_data,
                           errcode_ret);
}

cl_int CL_API_CALL clGetContextInfo(cl_context context, cl_context_info name, size_t room, void* value,
                                    size_t* size_ret) {
    FAKE_ENTRY();
    if (!fake::good(context)) return CL_INVALID_CONTEXT;
    switch (name) {
        case CL_CONTEXT_REFERENCE_COUNT: return give(static_cast<cl_uint>(context->refs.load()), room, value, size_ret);
        case CL_CONTEXT_NUM_DEVICES: return give(static_cast<cl_uint>(context->devices.size()), room, value, size_ret);
        case CL_CONTEXT_PROPERTIES: return give_array(context->properties, room, value, size_ret);
        case CL_CONTEXT_DEVICES: {
            std::vector<cl_device_id> devices;
            for (const auto& it : context->devices) devices.push_back(it.get());
            return give_array(devices, room, value, size_ret);
        }
        default: return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clSetContextDestructorCallback(cl_context context, void(CL_CALLBACK* notify)(cl_context, void*),
                                                  void* user_data) {
    FAKE_ENTRY();
    if (!fake::good(context)) return CL_INVALID_CONTEXT;
    return fake::add_destructor(*context, notify, user_data);
}
}
