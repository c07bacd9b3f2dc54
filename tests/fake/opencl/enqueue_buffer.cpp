// Reads, writes, copies, fills and maps of buffers.
#include "fake/opencl/engine.h"
#include "fake/opencl/settings.h"
#include "fake/opencl/transfer.h"

using fake::Box;
using fake::Extent;

namespace {

bool inside(cl_mem buffer, size_t offset, size_t size) {
    return size != 0 && offset <= buffer->size && size <= buffer->size - offset;
}
Box span(cl_mem buffer, size_t offset) { return {buffer->data + offset, 0, 0}; }
Box host(const void* pointer) { return {static_cast<unsigned char*>(const_cast<void*>(pointer)), 0, 0}; }

}  // namespace

extern "C" {

cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                       size_t size, void* pointer, cl_uint wait_count, const cl_event* wait_list,
                                       cl_event* event) {
    FAKE_ENTRY();
    if (const cl_int bad = fake::check_buffer(queue, buffer); bad != CL_SUCCESS) return bad;
    if (pointer == nullptr || !inside(buffer, offset, size)) return CL_INVALID_VALUE;
    return fake::enqueue_copy(queue, CL_COMMAND_READ_BUFFER, blocking != CL_FALSE, nullptr, host(pointer), buffer,
                              span(buffer, offset), {size}, wait_count, wait_list, event);
}

cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                        size_t size, const void* pointer, cl_uint wait_count, const cl_event* wait_list,
                                        cl_event* event) {
    FAKE_ENTRY();
    if (const cl_int bad = fake::check_buffer(queue, buffer); bad != CL_SUCCESS) return bad;
    if (pointer == nullptr || !inside(buffer, offset, size)) return CL_INVALID_VALUE;
    return fake::enqueue_copy(queue, CL_COMMAND_WRITE_BUFFER, blocking != CL_FALSE, buffer, span(buffer, offset),
                              nullptr, host(pointer), {size}, wait_count, wait_list, event);
}

cl_int CL_API_CALL clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                           const size_t* buffer_origin, const size_t* host_origin, const size_t* region,
                                           size_t buffer_row_pitch, size_t buffer_slice_pitch, size_t host_row_pitch,
                                           size_t host_slice_pitch, void* pointer, cl_uint wait_count,
                                           const cl_event* wait_list, cl_event* event) {
    FAKE_ENTRY();
    if (const cl_int bad = fake::check_buffer(queue, buffer); bad != CL_SUCCESS) return bad;
    if (pointer == nullptr || buffer_origin == nullptr || host_origin == nullptr || region == nullptr) {
        return CL_INVALID_VALUE;
    }
    const Box from = fake::rect_box(buffer->data, buffer_origin, buffer_row_pitch, buffer_slice_pitch, region);
    const Box to = fake::rect_box(pointer, host_origin, host_row_pitch, host_slice_pitch, region);
    const Extent extent = fake::rect_extent(region);
    if (!fake::fits(from, extent, buffer->data, buffer->size)) return CL_INVALID_VALUE;
    return fake::enqueue_copy(queue, CL_COMMAND_READ_BUFFER_RECT, blocking != CL_FALSE, nullptr, to, buffer, from,
                              extent, wait_count, wait_list, event);
}

cl_int CL_API_CALL clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                            const size_t* buffer_origin, const size_t* host_origin,
                                            const size_t* region, size_t buffer_row_pitch, size_t buffer_slice_pitch,
                                            size_t host_row_pitch, size_t host_slice_pitch, const void* pointer,
                                            cl_uint wait_count, const cl_event* wait_list, cl_event* event) {
    FAKE_ENTRY();
    if (const cl_int bad = fake::check_buffer(queue, buffer); bad != CL_SUCCESS) return bad;
    if (pointer == nullptr || buffer_origin == nullptr || host_origin == nullptr || region == nullptr) {
        return CL_INVALID_VALUE;
    }
    const Box to = fake::rect_box(buffer->data, buffer_origin, buffer_row_pitch, buffer_slice_pitch, region);
    const Box from = fake::rect_box(const_cast<void*>(pointer), host_origin, host_row_pitch, host_slice_pitch, region);
    const Extent extent = fake::rect_extent(region);
    if (!fake::fits(to, extent, buffer->data, buffer->size)) return CL_INVALID_VALUE;
    return fake::enqueue_copy(queue, CL_COMMAND_WRITE_BUFFER_RECT, blocking != CL_FALSE, buffer, to, nullptr, from,
                              extent, wait_count, wait_list, event);
}

cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                                       size_t to_offset, size_t size, cl_uint wait_count, const cl_event* wait_list,
                                       cl_event* event) {
    FAKE_ENTRY();
    if (const cl_int bad = fake::check_buffer(queue, from); bad != CL_SUCCESS) return bad;
    if (const cl_int bad = fake::check_buffer(queue, to); bad != CL_SUCCESS) return bad;
    if (!inside(from, from_offset, size) || !inside(to, to_offset, size)) return CL_INVALID_VALUE;
    return fake::enqueue_copy(queue, CL_COMMAND_COPY_BUFFER, false, to, span(to, to_offset), from,
                              span(from, from_offset), {size}, wait_count, wait_list, event);
}

cl_int CL_API_CALL clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem to, const size_t* from_origin,
                                           const size_t* to_origin, const size_t* region, size_t from_row_pitch,
                                           size_t from_slice_pitch, size_t to_row_pitch, size_t to_slice_pitch,
                                           cl_uint wait_count, const cl_event* wait_list, cl_event* event) {
    FAKE_ENTRY();
    if (const cl_int bad = fake::check_buffer(queue, from); bad != CL_SUCCESS) return bad;
    if (const cl_int bad = fake::check_buffer(queue, to); bad != CL_SUCCESS) return bad;
    if (from_origin == nullptr || to_origin == nullptr || region == nullptr) return CL_INVALID_VALUE;
    const Box source = fake::rect_box(from->data, from_origin, from_row_pitch, from_slice_pitch, region);
    const Box target = fake::rect_box(to->data, to_origin, to_row_pitch, to_slice_pitch, region);
    const Extent extent = fake::rect_extent(region);
    if (!fake::fits(source, extent, from->data, from->size) || !fake::fits(target, extent, to->data, to->size)) {
        return CL_INVALID_VALUE;
    }
    return fake::enqueue_copy(queue, CL_COMMAND_COPY_BUFFER_RECT, false, to, target, from, source, extent, wait_count,
                              wait_list, event);
}

cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void* pattern, size_t pattern_size,
                                       size_t offset, size_t size, cl_uint wait_count, const cl_event* wait_list,
                                       cl_event* event) {
    FAKE_ENTRY();
    if (const cl_int bad = fake::check_buffer(queue, buffer); bad != CL_SUCCESS) return bad;
    if (pattern == nullptr || pattern_size == 0 || pattern_size > 128 || (pattern_size & (pattern_size - 1)) != 0) {
        return CL_INVALID_VALUE;
    }
    if (!inside(buffer, offset, size) || offset % pattern_size != 0 || size % pattern_size != 0) {
        return CL_INVALID_VALUE;
    }
    const auto* bytes = static_cast<const unsigned char*>(pattern);
    return fake::enqueue_fill(queue, CL_COMMAND_FILL_BUFFER, buffer, span(buffer, offset), {size},
                              {bytes, bytes + pattern_size}, wait_count, wait_list, event);
}

void* CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags,
                                     size_t offset, size_t size, cl_uint wait_count, const cl_event* wait_list,
                                     cl_event* event, cl_int* errcode_ret) {
    FAKE_ENTRY_HANDLE(errcode_ret);
    if (const cl_int bad = fake::check_buffer(queue, buffer); bad != CL_SUCCESS) return fake::refuse(errcode_ret, bad);
    if (!inside(buffer, offset, size)) return fake::refuse(errcode_ret, CL_INVALID_VALUE);
    return fake::enqueue_map(queue, CL_COMMAND_MAP_BUFFER, blocking != CL_FALSE, buffer, span(buffer, offset), {size},
                             flags, nullptr, nullptr, wait_count, wait_list, event, errcode_ret);
}
}
