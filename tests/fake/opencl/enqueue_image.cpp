// Reads, writes, copies, fills and maps of images.
#include "fake/opencl/engine.h"
#include "fake/opencl/settings.h"
#include "fake/opencl/transfer.h"

using fake::Box;
using fake::Extent;

namespace {

cl_int check_region(cl_command_queue queue, cl_mem image, const size_t* origin, const size_t* region) {
    if (const cl_int bad = fake::check_image(queue, image); bad != CL_SUCCESS) return bad;
    if (origin == nullptr || region == nullptr) return CL_INVALID_VALUE;
    const Extent extent = fake::image_extent(image, region);
    if (origin[0] + region[0] > image->desc.image_width) return CL_INVALID_VALUE;
    return fake::fits(fake::image_box(image, origin), extent, image->data, image->size) ? CL_SUCCESS : CL_INVALID_VALUE;
}

cl_int check_transfer(cl_command_queue queue, cl_mem image, const size_t* origin, const size_t* region,
                      const void* pointer) {
    const cl_int bad = check_region(queue, image, origin, region);
    return bad == CL_SUCCESS && pointer == nullptr ? CL_INVALID_VALUE : bad;
}

}  // namespace

extern "C" {

cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t* origin,
                                      const size_t* region, size_t row_pitch, size_t slice_pitch, void* pointer,
                                      cl_uint wait_count, const cl_event* wait_list, cl_event* event) {
    FAKE_ENTRY();
    if (const cl_int bad = check_transfer(queue, image, origin, region, pointer); bad != CL_SUCCESS) return bad;
    const Extent extent = fake::image_extent(image, region);
    return fake::enqueue_copy(queue, CL_COMMAND_READ_IMAGE, blocking != CL_FALSE, nullptr,
                              fake::host_box(pointer, row_pitch, slice_pitch, extent), image,
                              fake::image_box(image, origin), extent, wait_count, wait_list, event);
}

cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t* origin,
                                       const size_t* region, size_t row_pitch, size_t slice_pitch, const void* pointer,
                                       cl_uint wait_count, const cl_event* wait_list, cl_event* event) {
    FAKE_ENTRY();
    if (const cl_int bad = check_transfer(queue, image, origin, region, pointer); bad != CL_SUCCESS) return bad;
    const Extent extent = fake::image_extent(image, region);
    return fake::enqueue_copy(queue, CL_COMMAND_WRITE_IMAGE, blocking != CL_FALSE, image,
                              fake::image_box(image, origin), nullptr,
                              fake::host_box(const_cast<void*>(pointer), row_pitch, slice_pitch, extent), extent,
                              wait_count, wait_list, event);
}

cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue queue, cl_mem from, cl_mem to, const size_t* from_origin,
                                      const size_t* to_origin, const size_t* region, cl_uint wait_count,
                                      const cl_event* wait_list, cl_event* event) {
    FAKE_ENTRY();
    if (const cl_int bad = check_region(queue, from, from_origin, region); bad != CL_SUCCESS) return bad;
    if (const cl_int bad = check_region(queue, to, to_origin, region); bad != CL_SUCCESS) return bad;
    if (from->element_bytes != to->element_bytes) return CL_IMAGE_FORMAT_MISMATCH;
    return fake::enqueue_copy(queue, CL_COMMAND_COPY_IMAGE, false, to, fake::image_box(to, to_origin), from,
                              fake::image_box(from, from_origin), fake::image_extent(from, region), wait_count,
                              wait_list, event);
}

cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem image, cl_mem buffer, const size_t* origin,
                                              const size_t* region, size_t offset, cl_uint wait_count,
                                              const cl_event* wait_list, cl_event* event) {
    FAKE_ENTRY();
    if (const cl_int bad = check_region(queue, image, origin, region); bad != CL_SUCCESS) return bad;
    if (const cl_int bad = fake::check_buffer(queue, buffer); bad != CL_SUCCESS) return bad;
    const Extent extent = fake::image_extent(image, region);
    const Box to = fake::host_box(buffer->data + offset, 0, 0, extent);
    if (!fake::fits(to, extent, buffer->data, buffer->size)) return CL_INVALID_VALUE;
    return fake::enqueue_copy(queue, CL_COMMAND_COPY_IMAGE_TO_BUFFER, false, buffer, to, image,
                              fake::image_box(image, origin), extent, wait_count, wait_list, event);
}

cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem buffer, cl_mem image, size_t offset,
                                              const size_t* origin, const size_t* region, cl_uint wait_count,
                                              const cl_event* wait_list, cl_event* event) {
    FAKE_ENTRY();
    if (const cl_int bad = fake::check_buffer(queue, buffer); bad != CL_SUCCESS) return bad;
    if (const cl_int bad = check_region(queue, image, origin, region); bad != CL_SUCCESS) return bad;
    const Extent extent = fake::image_extent(image, region);
    const Box from = fake::host_box(buffer->data + offset, 0, 0, extent);
    if (!fake::fits(from, extent, buffer->data, buffer->size)) return CL_INVALID_VALUE;
    return fake::enqueue_copy(queue, CL_COMMAND_COPY_BUFFER_TO_IMAGE, false, image, fake::image_box(image, origin),
                              buffer, from, extent, wait_count, wait_list, event);
}

// Colours are taken as the image's own bytes; four 32-bit channels are what tests use.
cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void* color, const size_t* origin,
                                      const size_t* region, cl_uint wait_count, const cl_event* wait_list,
                                      cl_event* event) {
    FAKE_ENTRY();
    if (const cl_int bad = check_region(queue, image, origin, region); bad != CL_SUCCESS) return bad;
    if (color == nullptr) return CL_INVALID_VALUE;
    const auto* bytes = static_cast<const unsigned char*>(color);
    return fake::enqueue_fill(queue, CL_COMMAND_FILL_IMAGE, image, fake::image_box(image, origin),
                              fake::image_extent(image, region), {bytes, bytes + image->element_bytes}, wait_count,
                              wait_list, event);
}

void* CL_API_CALL clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags,
                                    const size_t* origin, const size_t* region, size_t* row_pitch, size_t* slice_pitch,
                                    cl_uint wait_count, const cl_event* wait_list, cl_event* event,
                                    cl_int* errcode_ret) {
    FAKE_ENTRY_HANDLE(errcode_ret);
    if (const cl_int bad = check_region(queue, image, origin, region); bad != CL_SUCCESS) {
        return fake::refuse(errcode_ret, bad);
    }
    if (row_pitch == nullptr) return fake::refuse(errcode_ret, CL_INVALID_VALUE);
    return fake::enqueue_map(queue, CL_COMMAND_MAP_IMAGE, blocking != CL_FALSE, image, fake::image_box(image, origin),
                             fake::image_extent(image, region), flags, row_pitch, slice_pitch, wait_count, wait_list,
                             event, errcode_ret);
}
}
