// Images (plain rows of bytes) and samplers.
#include <array>

#include "fake/opencl/settings.h"
#include "fake/opencl/types.h"

using fake::give;
using fake::refuse;

namespace {

size_t element_bytes(const cl_image_format& format) {
    size_t channels = 0;
    switch (format.image_channel_order) {
        case CL_R: channels = 1; break;
        case CL_RG: channels = 2; break;
        case CL_RGBA:
        case CL_BGRA: channels = 4; break;
        default: return 0;
    }
    switch (format.image_channel_data_type) {
        case CL_UNORM_INT8:
        case CL_UNSIGNED_INT8: return channels;
        case CL_HALF_FLOAT:
        case CL_UNSIGNED_INT16: return channels * 2;
        case CL_FLOAT:
        case CL_UNSIGNED_INT32: return channels * 4;
        default: return 0;
    }
}

// Rows and slices of the image, so that one copy routine serves all shapes.
std::array<size_t, 2> rows_and_slices(const cl_image_desc& desc) {
    switch (desc.image_type) {
        case CL_MEM_OBJECT_IMAGE1D_ARRAY: return {desc.image_array_size, 1};
        case CL_MEM_OBJECT_IMAGE2D: return {desc.image_height, 1};
        case CL_MEM_OBJECT_IMAGE2D_ARRAY: return {desc.image_height, desc.image_array_size};
        case CL_MEM_OBJECT_IMAGE3D: return {desc.image_height, desc.image_depth};
        default: return {1, 1};
    }
}

cl_mem make_image(cl_context context, cl_mem_flags flags, const cl_image_format* format, const cl_image_desc* desc,
                  void* host_ptr, cl_int* errcode_ret) {
    if (!fake::good(context)) return refuse(errcode_ret, CL_INVALID_CONTEXT);
    if (format == nullptr) return refuse(errcode_ret, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    const size_t element = element_bytes(*format);
    if (element == 0) return refuse(errcode_ret, CL_IMAGE_FORMAT_NOT_SUPPORTED);
    if (desc == nullptr || desc->image_width == 0) return refuse(errcode_ret, CL_INVALID_IMAGE_DESCRIPTOR);
    const bool from_host = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;
    if (from_host != (host_ptr != nullptr)) return refuse(errcode_ret, CL_INVALID_HOST_PTR);
    const auto [rows, slices] = rows_and_slices(*desc);
    if (rows == 0 || slices == 0) return refuse(errcode_ret, CL_INVALID_IMAGE_SIZE);
    auto* image = new _cl_mem;
    image->context = fake::Ref(context);
    image->type = desc->image_type;
    image->flags = flags;
    image->format = *format;
    image->desc = *desc;
    image->element_bytes = element;
    const size_t row_pitch = desc->image_row_pitch != 0 ? desc->image_row_pitch : desc->image_width * element;
    image->desc.image_row_pitch = row_pitch;
    image->desc.image_slice_pitch = desc->image_slice_pitch != 0 ? desc->image_slice_pitch : row_pitch * rows;
    image->size = image->desc.image_slice_pitch * slices;
    if ((flags & CL_MEM_USE_HOST_PTR) != 0) {
        image->host_ptr = host_ptr;
        image->data = static_cast<unsigned char*>(host_ptr);
    } else {
        image->storage = std::make_unique<unsigned char[]>(image->size);
        image->data = image->storage.get();
        if (from_host) std::memcpy(image->data, host_ptr, image->size);
    }
    fake::put_error(errcode_ret, CL_SUCCESS);
    return image;
}

}  // namespace

extern "C" {

cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format* format,
                                 const cl_image_desc* desc, void* host_ptr, cl_int* errcode_ret) {
    FAKE_ENTRY_HANDLE(errcode_ret);
    return make_image(context, flags, format, desc, host_ptr, errcode_ret);
}

cl_mem CL_API_CALL clCreateImageWithProperties(cl_context context, const cl_mem_properties* properties,
                                               cl_mem_flags flags, const cl_image_format* format,
                                               const cl_image_desc* desc, void* host_ptr, cl_int* errcode_ret) {
    FAKE_ENTRY_HANDLE(errcode_ret);
    if (properties != nullptr && properties[0] != 0) return refuse(errcode_ret, CL_INVALID_PROPERTY);
    return make_image(context, flags, format, desc, host_ptr, errcode_ret);
}

static cl_image_desc describe(cl_mem_object_type type, size_t width, size_t height, size_t row_pitch) {
    cl_image_desc desc{};
    desc.image_type = type;
    desc.image_width = width;
    desc.image_height = height;
    desc.image_row_pitch = row_pitch;
    return desc;
}

cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format* format, size_t width,
                                   size_t height, size_t row_pitch, void* host_ptr, cl_int* errcode_ret) {
    FAKE_ENTRY_HANDLE(errcode_ret);
    const cl_image_desc desc = describe(CL_MEM_OBJECT_IMAGE2D, width, height, row_pitch);
    return make_image(context, flags, format, &desc, host_ptr, errcode_ret);
}

cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format* format, size_t width,
                                   size_t height, size_t depth, size_t row_pitch, size_t slice_pitch, void* host_ptr,
                                   cl_int* errcode_ret) {
    FAKE_ENTRY_HANDLE(errcode_ret);
    cl_image_desc desc = describe(CL_MEM_OBJECT_IMAGE3D, width, height, row_pitch);
    desc.image_depth = depth;
    desc.image_slice_pitch = slice_pitch;
    return make_image(context, flags, format, &desc, host_ptr, errcode_ret);
}

cl_int CL_API_CALL clGetSupportedImageFormats(cl_context context, cl_mem_flags, cl_mem_object_type, cl_uint num_entries,
                                              cl_image_format* formats, cl_uint* num_formats) {
    FAKE_ENTRY();
    if (!fake::good(context)) return CL_INVALID_CONTEXT;
    constexpr cl_image_format kFormats[] = {{CL_RGBA, CL_UNORM_INT8}, {CL_RGBA, CL_FLOAT}, {CL_R, CL_UNSIGNED_INT32}};
    for (cl_uint i = 0; formats != nullptr && i < num_entries && i < 3; ++i) formats[i] = kFormats[i];
    if (num_formats != nullptr) *num_formats = 3;
    return CL_SUCCESS;
}

cl_int CL_API_CALL clGetImageInfo(cl_mem image, cl_image_info name, size_t room, void* value, size_t* size_ret) {
    FAKE_ENTRY();
    if (!fake::good(image) || !image->is_image()) return CL_INVALID_MEM_OBJECT;
    const cl_image_desc& desc = image->desc;
    switch (name) {
        case CL_IMAGE_FORMAT: return give(image->format, room, value, size_ret);
        case CL_IMAGE_ELEMENT_SIZE: return give(image->element_bytes, room, value, size_ret);
        case CL_IMAGE_ROW_PITCH: return give(desc.image_row_pitch, room, value, size_ret);
        case CL_IMAGE_SLICE_PITCH: return give(desc.image_slice_pitch, room, value, size_ret);
        case CL_IMAGE_WIDTH: return give(desc.image_width, room, value, size_ret);
        case CL_IMAGE_HEIGHT: return give(desc.image_height, room, value, size_ret);
        case CL_IMAGE_DEPTH: return give(desc.image_depth, room, value, size_ret);
        case CL_IMAGE_ARRAY_SIZE: return give(desc.image_array_size, room, value, size_ret);
        case CL_IMAGE_NUM_MIP_LEVELS:
        case CL_IMAGE_NUM_SAMPLES: return give(cl_uint{0}, room, value, size_ret);
        default: return CL_INVALID_VALUE;
    }
}

static cl_sampler make_sampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
                               cl_filter_mode filter, cl_int* errcode_ret) {
    if (!fake::good(context)) return refuse(errcode_ret, CL_INVALID_CONTEXT);
    auto* sampler = new _cl_sampler;
    sampler->context = fake::Ref(context);
    sampler->normalized = normalized;
    sampler->addressing = addressing;
    sampler->filter = filter;
    fake::put_error(errcode_ret, CL_SUCCESS);
    return sampler;
}

cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
                                       cl_filter_mode filter, cl_int* errcode_ret) {
    FAKE_ENTRY_HANDLE(errcode_ret);
    return make_sampler(context, normalized, addressing, filter, errcode_ret);
}

cl_sampler CL_API_CALL clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties* properties,
                                                     cl_int* errcode_ret) {
    FAKE_ENTRY_HANDLE(errcode_ret);
    cl_bool normalized = CL_TRUE;
    cl_addressing_mode addressing = CL_ADDRESS_CLAMP;
    cl_filter_mode filter = CL_FILTER_NEAREST;
    for (const auto* it = properties; it != nullptr && it[0] != 0; it += 2) {
        switch (it[0]) {
            case CL_SAMPLER_NORMALIZED_COORDS: normalized = static_cast<cl_bool>(it[1]); break;
            case CL_SAMPLER_ADDRESSING_MODE: addressing = static_cast<cl_addressing_mode>(it[1]); break;
            case CL_SAMPLER_FILTER_MODE: filter = static_cast<cl_filter_mode>(it[1]); break;
            default: return refuse(errcode_ret, CL_INVALID_VALUE);
        }
    }
    return make_sampler(context, normalized, addressing, filter, errcode_ret);
}

cl_int CL_API_CALL clGetSamplerInfo(cl_sampler sampler, cl_sampler_info name, size_t room, void* value,
                                    size_t* size_ret) {
    FAKE_ENTRY();
    if (!fake::good(sampler)) return CL_INVALID_SAMPLER;
    switch (name) {
        case CL_SAMPLER_REFERENCE_COUNT: return give(static_cast<cl_uint>(sampler->refs.load()), room, value, size_ret);
        case CL_SAMPLER_CONTEXT: return give(sampler->context.get(), room, value, size_ret);
        case CL_SAMPLER_NORMALIZED_COORDS: return give(sampler->normalized, room, value, size_ret);
        case CL_SAMPLER_ADDRESSING_MODE: return give(sampler->addressing, room, value, size_ret);
        case CL_SAMPLER_FILTER_MODE: return give(sampler->filter, room, value, size_ret);
        default: return CL_INVALID_VALUE;
    }
}
}
