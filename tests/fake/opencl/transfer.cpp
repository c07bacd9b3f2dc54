#include "fake/opencl/transfer.h"

#include "fake/opencl/engine.h"
#include "fake/opencl/settings.h"

namespace fake {

cl_int enqueue_copy(cl_command_queue queue, cl_command_type type, bool blocking, cl_mem to_memory, Box to,
                    cl_mem from_memory, Box from, Extent extent, cl_uint wait_count, const cl_event* wait_list,
                    cl_event* event) {
    return enqueue({queue, type, wait_count, wait_list, event, blocking,
                    [to, from, extent, keep_to = Ref(to_memory), keep_from = Ref(from_memory)] {
                        copy_box(to, from, extent);
                        return CL_SUCCESS;
                    }});
}

cl_int enqueue_fill(cl_command_queue queue, cl_command_type type, cl_mem memory, Box to, Extent extent,
                    std::vector<unsigned char> pattern, cl_uint wait_count, const cl_event* wait_list,
                    cl_event* event) {
    return enqueue({queue, type, wait_count, wait_list, event, false,
                    [to, extent, pattern = std::move(pattern), keep = Ref(memory)] {
                        for (size_t slice = 0; slice < extent.slices; ++slice) {
                            for (size_t row = 0; row < extent.rows; ++row) {
                                unsigned char* start = to.base + slice * to.slice_pitch + row * to.row_pitch;
                                for (size_t at = 0; at < extent.row_bytes; at += pattern.size()) {
                                    std::memcpy(start + at, pattern.data(), pattern.size());
                                }
                            }
                        }
                        return CL_SUCCESS;
                    }});
}

void* enqueue_map(cl_command_queue queue, cl_command_type type, bool blocking, cl_mem memory, Box target, Extent extent,
                  cl_map_flags flags, size_t* row_pitch, size_t* slice_pitch, cl_uint wait_count,
                  const cl_event* wait_list, cl_event* event, cl_int* errcode_ret) {
    const bool own = (memory->flags & CL_MEM_USE_HOST_PTR) != 0;
    std::shared_ptr<unsigned char[]> copy;
    Box seen = target;
    if (!own) {
        copy.reset(new unsigned char[extent.row_bytes * extent.rows * extent.slices]());
        seen = host_box(copy.get(), 0, 0, extent);
    }
    if (row_pitch != nullptr) *row_pitch = seen.row_pitch;
    if (slice_pitch != nullptr) *slice_pitch = seen.slice_pitch;
    {
        const std::lock_guard lock(memory->mutex);
        memory->mappings.emplace(seen.base, _cl_mem::Mapping{copy, seen, target, extent, flags});
    }
    const bool fetch = !own && (flags & CL_MAP_WRITE_INVALIDATE_REGION) == 0;
    const cl_int result = enqueue(
        {queue, type, wait_count, wait_list, event, blocking, [seen, target, extent, fetch, copy, keep = Ref(memory)] {
             if (fetch) copy_box(seen, target, extent);
             return CL_SUCCESS;
         }});
    put_error(errcode_ret, result);
    if (result == CL_SUCCESS) return seen.base;
    const std::lock_guard lock(memory->mutex);
    if (const auto it = memory->mappings.find(seen.base); it != memory->mappings.end()) memory->mappings.erase(it);
    return nullptr;
}

static cl_int check_memory(cl_command_queue queue, cl_mem memory, bool image) {
    if (const cl_int bad = check_queue(queue); bad != CL_SUCCESS) return bad;
    if (!good(memory) || memory->is_image() != image) return CL_INVALID_MEM_OBJECT;
    return memory->context.get() == queue->context.get() ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

cl_int check_buffer(cl_command_queue queue, cl_mem buffer) { return check_memory(queue, buffer, false); }
cl_int check_image(cl_command_queue queue, cl_mem image) { return check_memory(queue, image, true); }

}  // namespace fake

extern "C" cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void* pointer,
                                                      cl_uint wait_count, const cl_event* wait_list, cl_event* event) {
    FAKE_ENTRY();
    if (const cl_int bad = fake::check_queue(queue); bad != CL_SUCCESS) return bad;
    if (!fake::good(memory)) return CL_INVALID_MEM_OBJECT;
    if (const cl_int bad = fake::check_wait_list(queue, wait_count, wait_list); bad != CL_SUCCESS) return bad;
    _cl_mem::Mapping mapping{};
    {
        const std::lock_guard lock(memory->mutex);
        const auto it = memory->mappings.find(pointer);
        if (it == memory->mappings.end()) return CL_INVALID_VALUE;
        mapping = it->second;
        memory->mappings.erase(it);
    }
    return fake::enqueue(
        {queue, CL_COMMAND_UNMAP_MEM_OBJECT, wait_count, wait_list, event, false, [mapping, keep = fake::Ref(memory)] {
             const bool written = (mapping.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0;
             if (mapping.copy && written) fake::copy_box(mapping.target, mapping.seen, mapping.extent);
             return CL_SUCCESS;
         }});
}
