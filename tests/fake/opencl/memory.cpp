// Buffers, sub-buffers and what images share with them.
#include "fake/opencl/settings.h"
#include "fake/opencl/types.h"

using fake::give;
using fake::refuse;

_cl_mem::~_cl_mem() {
    for (auto it = destructors.rbegin(); it != destructors.rend(); ++it) it->first(this, it->second);
}

namespace {

constexpr cl_mem_flags kHostFlags = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;

cl_mem make_buffer(cl_context context, cl_mem_flags flags, size_t size, void* host_ptr, cl_int* errcode_ret) {
    if (!fake::good(context)) return refuse(errcode_ret, CL_INVALID_CONTEXT);
    if (size == 0) return refuse(errcode_ret, CL_INVALID_BUFFER_SIZE);
    if (((flags & kHostFlags) != 0) != (host_ptr != nullptr)) return refuse(errcode_ret, CL_INVALID_HOST_PTR);
    auto* memory = new _cl_mem;
    memory->context = fake::Ref(context);
    memory->flags = (flags & (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY)) == 0 ? flags | CL_MEM_READ_WRITE : flags;
    memory->size = size;
    if ((flags & CL_MEM_USE_HOST_PTR) != 0) {
        memory->host_ptr = host_ptr;
        memory->data = static_cast<unsigned char*>(host_ptr);
    } else {
        memory->storage = std::make_unique<unsigned char[]>(size);
        memory->data = memory->storage.get();
        if ((flags & CL_MEM_COPY_HOST_PTR) != 0) std::memcpy(memory->data, host_ptr, size);
    }
    fake::put_error(errcode_ret, CL_SUCCESS);
    return memory;
}

}  // namespace

extern "C" {

cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void* host_ptr,
                                  cl_int* errcode_ret) {
    FAKE_ENTRY_HANDLE(errcode_ret);
    return make_buffer(context, flags, size, host_ptr, errcode_ret);
}

cl_mem CL_API_CALL clCreateBufferWithProperties(cl_context context, const cl_mem_properties* properties,
                                                cl_mem_flags flags, size_t size, void* host_ptr, cl_int* errcode_ret) {
    FAKE_ENTRY_HANDLE(errcode_ret);
    if (properties != nullptr && properties[0] != 0) return refuse(errcode_ret, CL_INVALID_PROPERTY);
    return make_buffer(context, flags, size, host_ptr, errcode_ret);
}

cl_mem CL_API_CALL clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void* info,
                                     cl_int* errcode_ret) {
    FAKE_ENTRY_HANDLE(errcode_ret);
    if (!fake::good(buffer) || buffer->is_image() || buffer->parent) return refuse(errcode_ret, CL_INVALID_MEM_OBJECT);
    if (type != CL_BUFFER_CREATE_TYPE_REGION || info == nullptr) return refuse(errcode_ret, CL_INVALID_VALUE);
    const auto& region = *static_cast<const cl_buffer_region*>(info);
    if (region.size == 0) return refuse(errcode_ret, CL_INVALID_BUFFER_SIZE);
    if (region.origin + region.size > buffer->size) return refuse(errcode_ret, CL_INVALID_VALUE);
    auto* memory = new _cl_mem;
    memory->context = buffer->context;
    memory->parent = fake::Ref(buffer);
    memory->flags = flags != 0 ? flags : buffer->flags;
    memory->size = region.size;
    memory->offset = region.origin;
    memory->data = buffer->data + region.origin;
    if (buffer->host_ptr != nullptr) memory->host_ptr = memory->data;
    fake::put_error(errcode_ret, CL_SUCCESS);
    return memory;
}

cl_int CL_API_CALL clGetMemObjectInfo(cl_mem memory, cl_mem_info name, size_t room, void* value, size_t* size_ret) {
    FAKE_ENTRY();
    if (!fake::good(memory)) return CL_INVALID_MEM_OBJECT;
    switch (name) {
        case CL_MEM_TYPE: return give(memory->type, room, value, size_ret);
        case CL_MEM_FLAGS: return give(memory->flags, room, value, size_ret);
        case CL_MEM_SIZE: return give(memory->size, room, value, size_ret);
        case CL_MEM_HOST_PTR: return give(memory->host_ptr, room, value, size_ret);
        case CL_MEM_MAP_COUNT: {
            const std::lock_guard lock(memory->mutex);
            return give(static_cast<cl_uint>(memory->mappings.size()), room, value, size_ret);
        }
        case CL_MEM_REFERENCE_COUNT: return give(static_cast<cl_uint>(memory->refs.load()), room, value, size_ret);
        case CL_MEM_CONTEXT: return give(memory->context.get(), room, value, size_ret);
        case CL_MEM_ASSOCIATED_MEMOBJECT: return give(memory->parent.get(), room, value, size_ret);
        case CL_MEM_OFFSET: return give(memory->offset, room, value, size_ret);
        case CL_MEM_USES_SVM_POINTER: return give(cl_bool{CL_FALSE}, room, value, size_ret);
        case CL_MEM_PROPERTIES: return fake::give_bytes(nullptr, 0, room, value, size_ret);
        default: return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clSetMemObjectDestructorCallback(cl_mem memory, void(CL_CALLBACK* notify)(cl_mem, void*),
                                                    void* user_data) {
    FAKE_ENTRY();
    if (!fake::good(memory)) return CL_INVALID_MEM_OBJECT;
    return fake::add_destructor(*memory, notify, user_data);
}
}
