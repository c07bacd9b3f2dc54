// clGetDeviceInfo: a small GPU-like device.
#include <array>

#include "fake/opencl/settings.h"
#include "fake/opencl/types.h"

namespace {

using fake::give;
using fake::give_array;
using fake::give_text;

constexpr const char* kExtensions =
    "cl_khr_icd cl_khr_global_int32_base_atomics cl_khr_byte_addressable_store "
    "cl_khr_priority_hints cl_khr_create_command_queue";

struct Fixed {
    cl_device_info name;
    enum { kUint, kUlong, kSize, kBool } kind;
    cl_ulong value;
};
constexpr Fixed kFixed[] = {
    {CL_DEVICE_TYPE, Fixed::kUlong, CL_DEVICE_TYPE_GPU},
    {CL_DEVICE_VENDOR_ID, Fixed::kUint, 0xFA4E},
    {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, Fixed::kUint, 3},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, Fixed::kSize, 1024},
    {CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, Fixed::kSize, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, Fixed::kUint, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, Fixed::kUint, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, Fixed::kUint, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, Fixed::kUint, 1},
    {CL_DEVICE_MAX_CLOCK_FREQUENCY, Fixed::kUint, 1000},
    {CL_DEVICE_ADDRESS_BITS, Fixed::kUint, 64},
    {CL_DEVICE_MAX_MEM_ALLOC_SIZE, Fixed::kUlong, 1ULL << 30},
    {CL_DEVICE_IMAGE_SUPPORT, Fixed::kBool, 1},
    {CL_DEVICE_MAX_READ_IMAGE_ARGS, Fixed::kUint, 128},
    {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, Fixed::kUint, 128},
    {CL_DEVICE_IMAGE2D_MAX_WIDTH, Fixed::kSize, 16384},
    {CL_DEVICE_IMAGE2D_MAX_HEIGHT, Fixed::kSize, 16384},
    {CL_DEVICE_IMAGE3D_MAX_WIDTH, Fixed::kSize, 2048},
    {CL_DEVICE_IMAGE3D_MAX_HEIGHT, Fixed::kSize, 2048},
    {CL_DEVICE_IMAGE3D_MAX_DEPTH, Fixed::kSize, 2048},
    {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, Fixed::kSize, 65536},
    {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, Fixed::kSize, 2048},
    {CL_DEVICE_MAX_SAMPLERS, Fixed::kUint, 16},
    {CL_DEVICE_MAX_PARAMETER_SIZE, Fixed::kSize, 4096},
    {CL_DEVICE_MEM_BASE_ADDR_ALIGN, Fixed::kUint, 1024},
    {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, Fixed::kUint, 128},
    {CL_DEVICE_SINGLE_FP_CONFIG, Fixed::kUlong, CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN},
    {CL_DEVICE_DOUBLE_FP_CONFIG, Fixed::kUlong, 0},
    {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, Fixed::kUint, CL_NONE},
    {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, Fixed::kUint, 64},
    {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, Fixed::kUlong, 0},
    {CL_DEVICE_GLOBAL_MEM_SIZE, Fixed::kUlong, 1ULL << 32},
    {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, Fixed::kUlong, 65536},
    {CL_DEVICE_MAX_CONSTANT_ARGS, Fixed::kUint, 8},
    {CL_DEVICE_LOCAL_MEM_TYPE, Fixed::kUint, CL_LOCAL},
    {CL_DEVICE_LOCAL_MEM_SIZE, Fixed::kUlong, 65536},
    {CL_DEVICE_ERROR_CORRECTION_SUPPORT, Fixed::kBool, 0},
    {CL_DEVICE_HOST_UNIFIED_MEMORY, Fixed::kBool, 1},
    {CL_DEVICE_PROFILING_TIMER_RESOLUTION, Fixed::kSize, 1},
    {CL_DEVICE_ENDIAN_LITTLE, Fixed::kBool, 1},
    {CL_DEVICE_AVAILABLE, Fixed::kBool, 1},
    {CL_DEVICE_COMPILER_AVAILABLE, Fixed::kBool, 1},
    {CL_DEVICE_LINKER_AVAILABLE, Fixed::kBool, 1},
    {CL_DEVICE_EXECUTION_CAPABILITIES, Fixed::kUlong, CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL},
    {CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, Fixed::kUlong,
     CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE},
    {CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, Fixed::kUlong,
     CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE},
    {CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, Fixed::kUint, 16384},
    {CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, Fixed::kUint, 65536},
    {CL_DEVICE_MAX_ON_DEVICE_QUEUES, Fixed::kUint, 1},
    {CL_DEVICE_MAX_ON_DEVICE_EVENTS, Fixed::kUint, 1024},
    {CL_DEVICE_PARTITION_AFFINITY_DOMAIN, Fixed::kUlong, 0},
    {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, Fixed::kBool, 1},
    {CL_DEVICE_PRINTF_BUFFER_SIZE, Fixed::kSize, 1 << 20},
    {CL_DEVICE_SVM_CAPABILITIES, Fixed::kUlong,
     CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS},
    {CL_DEVICE_NUMERIC_VERSION, Fixed::kUint, CL_MAKE_VERSION(3, 0, 0)},
    {CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, Fixed::kUlong, 0},
    {CL_DEVICE_PIPE_SUPPORT, Fixed::kBool, 0},
};

cl_int give_fixed(const Fixed& it, size_t room, void* value, size_t* size_ret) {
    switch (it.kind) {
        case Fixed::kUint: return give(static_cast<cl_uint>(it.value), room, value, size_ret);
        case Fixed::kUlong: return give(it.value, room, value, size_ret);
        case Fixed::kSize: return give(static_cast<size_t>(it.value), room, value, size_ret);
        case Fixed::kBool: return give(static_cast<cl_bool>(it.value), room, value, size_ret);
    }
    return CL_INVALID_VALUE;
}

}  // namespace

extern "C" cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t room, void* value,
                                              size_t* size_ret) {
    FAKE_ENTRY();
    if (!fake::good(device)) return CL_INVALID_DEVICE;
    for (const Fixed& it : kFixed) {
        if (it.name == name) return give_fixed(it, room, value, size_ret);
    }
    switch (name) {
        case CL_DEVICE_PLATFORM: return give(device->platform, room, value, size_ret);
        case CL_DEVICE_NAME:
            return give_text(device->index == 0 ? "Fake device 0" : "Fake device 1", room, value, size_ret);
        case CL_DEVICE_VENDOR: return give_text("XSched tests", room, value, size_ret);
        case CL_DRIVER_VERSION: return give_text("1.0", room, value, size_ret);
        case CL_DEVICE_PROFILE: return give_text("FULL_PROFILE", room, value, size_ret);
        case CL_DEVICE_VERSION: return give_text("OpenCL 3.0 fake", room, value, size_ret);
        case CL_DEVICE_OPENCL_C_VERSION: return give_text("OpenCL C 1.2 fake", room, value, size_ret);
        case CL_DEVICE_EXTENSIONS: return give_text(kExtensions, room, value, size_ret);
        case CL_DEVICE_BUILT_IN_KERNELS: return give_text("append;combine;noop;spin", room, value, size_ret);
        case CL_DEVICE_MAX_COMPUTE_UNITS:
        case CL_DEVICE_PARTITION_MAX_SUB_DEVICES: return give(device->units, room, value, size_ret);
        case CL_DEVICE_MAX_WORK_ITEM_SIZES:
            return give_array(std::array<size_t, 3>{1024, 1024, 1024}, room, value, size_ret);
        case CL_DEVICE_PARTITION_PROPERTIES:
            return give_array(
                std::array<cl_device_partition_property, 2>{CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS},
                room, value, size_ret);
        case CL_DEVICE_PARTITION_TYPE: return give_array(device->partition, room, value, size_ret);
        case CL_DEVICE_PARENT_DEVICE: return give(device->parent.get(), room, value, size_ret);
        case CL_DEVICE_REFERENCE_COUNT: return give(static_cast<cl_uint>(device->refs.load()), room, value, size_ret);
        default: return CL_INVALID_VALUE;
    }
}
