// Kernel objects: their arguments and what can be asked about them.
#include <array>

#include "fake/opencl/settings.h"
#include "fake/opencl/types.h"

using fake::give;
using fake::refuse;

extern "C" {

cl_kernel CL_API_CALL clCloneKernel(cl_kernel kernel, cl_int* errcode_ret) {
    FAKE_ENTRY_HANDLE(errcode_ret);
    if (!fake::good(kernel)) return refuse(errcode_ret, CL_INVALID_KERNEL);
    auto* clone = new _cl_kernel;
    clone->program = kernel->program;
    clone->source = kernel->source;
    const std::lock_guard lock(kernel->mutex);
    clone->arguments = kernel->arguments;
    fake::put_error(errcode_ret, CL_SUCCESS);
    return clone;
}

cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void* value) {
    FAKE_ENTRY();
    if (!fake::good(kernel)) return CL_INVALID_KERNEL;
    if (index >= kernel->source.arguments.size()) return CL_INVALID_ARG_INDEX;
    fake::Argument argument;
    argument.set = true;
    const fake::ArgumentKind kind = kernel->source.arguments[index];
    if (kind == fake::ArgumentKind::kLocal) {
        if (value != nullptr) return CL_INVALID_ARG_VALUE;
        if (size == 0) return CL_INVALID_ARG_SIZE;
        argument.local_bytes = size;
    } else if (kind == fake::ArgumentKind::kMemory) {
        if (size != sizeof(cl_mem)) return CL_INVALID_ARG_SIZE;
        cl_mem memory = value != nullptr ? *static_cast<const cl_mem*>(value) : nullptr;
        if (memory != nullptr && !fake::good(memory)) return CL_INVALID_MEM_OBJECT;
        argument.memory = fake::Ref(memory);
    } else {
        if (value == nullptr) return CL_INVALID_ARG_VALUE;
        if (size == 0) return CL_INVALID_ARG_SIZE;
        const auto* bytes = static_cast<const unsigned char*>(value);
        argument.bytes.assign(bytes, bytes + size);
    }
    const std::lock_guard lock(kernel->mutex);
    std::swap(kernel->arguments[index], argument);
    return CL_SUCCESS;
}

cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void* value) {
    FAKE_ENTRY();
    if (!fake::good(kernel)) return CL_INVALID_KERNEL;
    if (index >= kernel->source.arguments.size()) return CL_INVALID_ARG_INDEX;
    if (kernel->source.arguments[index] != fake::ArgumentKind::kMemory) return CL_INVALID_ARG_VALUE;
    fake::Argument argument;
    argument.set = true;
    argument.svm = const_cast<void*>(value);
    const std::lock_guard lock(kernel->mutex);
    std::swap(kernel->arguments[index], argument);
    return CL_SUCCESS;
}

cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info name, size_t, const void* value) {
    FAKE_ENTRY();
    if (!fake::good(kernel)) return CL_INVALID_KERNEL;
    const bool known = name == CL_KERNEL_EXEC_INFO_SVM_PTRS || name == CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM;
    return known && value != nullptr ? CL_SUCCESS : CL_INVALID_VALUE;
}

cl_int CL_API_CALL clGetKernelInfo(cl_kernel kernel, cl_kernel_info name, size_t room, void* value, size_t* size_ret) {
    FAKE_ENTRY();
    if (!fake::good(kernel)) return CL_INVALID_KERNEL;
    switch (name) {
        case CL_KERNEL_FUNCTION_NAME: return fake::give_text(kernel->source.name.c_str(), room, value, size_ret);
        case CL_KERNEL_NUM_ARGS:
            return give(static_cast<cl_uint>(kernel->source.arguments.size()), room, value, size_ret);
        case CL_KERNEL_REFERENCE_COUNT: return give(static_cast<cl_uint>(kernel->refs.load()), room, value, size_ret);
        case CL_KERNEL_CONTEXT: return give(kernel->program->context.get(), room, value, size_ret);
        case CL_KERNEL_PROGRAM: return give(kernel->program.get(), room, value, size_ret);
        case CL_KERNEL_ATTRIBUTES: return fake::give_text("", room, value, size_ret);
        default: return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name, size_t room,
                                      void* value, size_t* size_ret) {
    FAKE_ENTRY();
    if (!fake::good(kernel)) return CL_INVALID_KERNEL;
    if (index >= kernel->source.arguments.size()) return CL_INVALID_ARG_INDEX;
    if (name != CL_KERNEL_ARG_ADDRESS_QUALIFIER) return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    constexpr cl_kernel_arg_address_qualifier kQualifiers[] = {
        CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_ADDRESS_PRIVATE};
    return give(kQualifiers[static_cast<size_t>(kernel->source.arguments[index])], room, value, size_ret);
}

cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name,
                                            size_t room, void* value, size_t* size_ret) {
    FAKE_ENTRY();
    if (!fake::good(kernel)) return CL_INVALID_KERNEL;
    if (device != nullptr && !fake::good(device)) return CL_INVALID_DEVICE;
    switch (name) {
        case CL_KERNEL_WORK_GROUP_SIZE: return give(size_t{1024}, room, value, size_ret);
        case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
            return fake::give_array(std::array<size_t, 3>{0, 0, 0}, room, value, size_ret);
        case CL_KERNEL_LOCAL_MEM_SIZE:
        case CL_KERNEL_PRIVATE_MEM_SIZE: return give(cl_ulong{0}, room, value, size_ret);
        case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: return give(size_t{1}, room, value, size_ret);
        default: return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id, cl_kernel_sub_group_info, size_t,
                                           const void*, size_t, void*, size_t*) {
    FAKE_ENTRY();
    return fake::good(kernel) ? CL_INVALID_OPERATION : CL_INVALID_KERNEL;
}
}
