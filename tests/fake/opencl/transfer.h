// Boxes of bytes: every read, write, copy, fill and map of buffers, rectangles and images is one of these.
#pragma once

#include <cstddef>

#include "fake/opencl/types.h"

namespace fake {

inline void copy_box(const Box& to, const Box& from, const Extent& extent) {
    for (size_t slice = 0; slice < extent.slices; ++slice) {
        for (size_t row = 0; row < extent.rows; ++row) {
            std::memmove(to.base + slice * to.slice_pitch + row * to.row_pitch,
                         from.base + slice * from.slice_pitch + row * from.row_pitch, extent.row_bytes);
        }
    }
}

inline Box rect_box(void* base, const size_t* origin, size_t row_pitch, size_t slice_pitch, const size_t* region) {
    if (row_pitch == 0) row_pitch = region[0];
    if (slice_pitch == 0) slice_pitch = row_pitch * region[1];
    auto* bytes = static_cast<unsigned char*>(base);
    return {bytes + origin[2] * slice_pitch + origin[1] * row_pitch + origin[0], row_pitch, slice_pitch};
}
inline Extent rect_extent(const size_t* region) { return {region[0], region[1], region[2]}; }
// Returns whether the box ends inside `size` bytes from `start`.
inline bool fits(const Box& box, const Extent& extent, const unsigned char* start, size_t size) {
    const size_t begin = static_cast<size_t>(box.base - start);
    return extent.row_bytes != 0 && extent.rows != 0 && extent.slices != 0 &&
           begin + (extent.slices - 1) * box.slice_pitch + (extent.rows - 1) * box.row_pitch + extent.row_bytes <= size;
}

inline Box image_box(cl_mem image, const size_t* origin) {
    const size_t row = image->desc.image_row_pitch;
    const size_t slice = image->desc.image_slice_pitch;
    return {image->data + origin[2] * slice + origin[1] * row + origin[0] * image->element_bytes, row, slice};
}
inline Extent image_extent(cl_mem image, const size_t* region) {
    return {region[0] * image->element_bytes, region[1], region[2]};
}
// Returns the box of the program's memory for an image region; pitch 0: packed.
inline Box host_box(void* pointer, size_t row_pitch, size_t slice_pitch, const Extent& extent) {
    if (row_pitch == 0) row_pitch = extent.row_bytes;
    if (slice_pitch == 0) slice_pitch = row_pitch * extent.rows;
    return {static_cast<unsigned char*>(pointer), row_pitch, slice_pitch};
}

// Enqueues a command that copies a box, and keeps the memory objects (either may be null) alive until it has run.
cl_int enqueue_copy(cl_command_queue queue, cl_command_type type, bool blocking, cl_mem to_memory, Box to,
                    cl_mem from_memory, Box from, Extent extent, cl_uint wait_count, const cl_event* wait_list,
                    cl_event* event);
cl_int enqueue_fill(cl_command_queue queue, cl_command_type type, cl_mem memory, Box to, Extent extent,
                    std::vector<unsigned char> pattern, cl_uint wait_count, const cl_event* wait_list, cl_event* event);
// Maps memory: the program gets a copy, which is filled when the map command runs and written back when the unmap
// command runs. Memory made with CL_MEM_USE_HOST_PTR needs no copy.
void* enqueue_map(cl_command_queue queue, cl_command_type type, bool blocking, cl_mem memory, Box target, Extent extent,
                  cl_map_flags flags, size_t* row_pitch, size_t* slice_pitch, cl_uint wait_count,
                  const cl_event* wait_list, cl_event* event, cl_int* errcode_ret);

cl_int check_buffer(cl_command_queue queue, cl_mem buffer);
cl_int check_image(cl_command_queue queue, cl_mem image);

}  // namespace fake
