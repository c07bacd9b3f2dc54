// The fake driver's functions that allocate and register memory, and that tell what memory an address is.
#include "fake/cuda/capture.h"
#include "fake/cuda/context.h"
#include "fake/cuda/memory.h"

using namespace fake;

namespace {

CUresult allocate_in_current(void** memory, size_t bytes, Memory kind, bool portable) {
    if (memory == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    FAKE_TRY(capture_forbids_unsafe_call());
    Context* context = nullptr;
    FAKE_TRY(current_usable(&context));
    *memory = allocate(*context, bytes, kind, portable);
    return *memory != nullptr ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult allocate_device(CUdeviceptr* address, size_t bytes, Memory kind) {
    if (address == nullptr) return CUDA_ERROR_INVALID_VALUE;
    void* memory = nullptr;
    FAKE_TRY(allocate_in_current(&memory, bytes, kind, true));
    *address = reinterpret_cast<CUdeviceptr>(memory);
    return CUDA_SUCCESS;
}

// Frees memory after all of the context's work is complete, as real devices do.
CUresult free_synchronously(const void* start, Memory kind) {
    FAKE_TRY(capture_forbids_unsafe_call());
    Context* context = nullptr;
    FAKE_TRY(current_usable(&context));
    wait_for_all(ends_of(*context));
    return release(start, kind) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuMemGetInfo_v2(size_t* free, size_t* total) {
    FAKE_ENTRY();
    *total = memory_of_device();
    *free = *total - device_bytes();
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
    FAKE_ENTRY();
    return allocate_device(address, bytes, Memory::kDevice);
}
CUresult CUDAAPI cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned int) {
    FAKE_ENTRY();
    return allocate_device(address, bytes, Memory::kManaged);
}
CUresult CUDAAPI cuMemAllocPitch_v2(CUdeviceptr* address, size_t* pitch, size_t width, size_t height, unsigned int) {
    FAKE_ENTRY();
    *pitch = (width + 255) / 256 * 256;
    return allocate_device(address, *pitch * height, Memory::kDevice);
}
// Makes arrays of floats alone.
CUresult CUDAAPI cuArrayCreate_v2(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* wanted) {
    FAKE_ENTRY();
    CUdeviceptr memory = 0;
    const size_t texels = wanted->Width * std::max<size_t>(wanted->Height, 1);
    FAKE_TRY(allocate_device(&memory, texels * wanted->NumChannels * sizeof(float), Memory::kDevice));
    *array = reinterpret_cast<CUarray>(memory);
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuArrayDestroy(CUarray array) {
    FAKE_ENTRY();
    return free_synchronously(array, Memory::kDevice);
}
CUresult CUDAAPI cuMemGetAddressRange_v2(CUdeviceptr* start, size_t* bytes, CUdeviceptr address) {
    FAKE_ENTRY();
    const Extent extent = extent_at(host_of(address));
    if (extent.bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    if (start != nullptr) *start = extent.start;
    if (bytes != nullptr) *bytes = extent.bytes;
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemFree_v2(CUdeviceptr address) {
    FAKE_ENTRY();
    if (address == 0) return CUDA_SUCCESS;
    return free_synchronously(host_of(address), Memory::kDevice);
}

CUresult CUDAAPI cuMemHostAlloc(void** memory, size_t bytes, unsigned int flags) {
    FAKE_ENTRY();
    return allocate_in_current(memory, bytes, Memory::kPinned, (flags & CU_MEMHOSTALLOC_PORTABLE) != 0);
}
CUresult CUDAAPI cuMemAllocHost_v2(void** memory, size_t bytes) {
    FAKE_ENTRY();
    return allocate_in_current(memory, bytes, Memory::kPinned, false);
}
CUresult CUDAAPI cuMemFreeHost(void* memory) {
    FAKE_ENTRY();
    return memory == nullptr ? CUDA_SUCCESS : free_synchronously(memory, Memory::kPinned);
}

CUresult CUDAAPI cuMemHostRegister_v2(void* memory, size_t bytes, unsigned int flags) {
    FAKE_ENTRY();
    if (memory == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    FAKE_TRY(capture_forbids_unsafe_call());
    Context* context = nullptr;
    FAKE_TRY(current_usable(&context));
    return register_memory(*context, memory, bytes, (flags & CU_MEMHOSTREGISTER_PORTABLE) != 0);
}
CUresult CUDAAPI cuMemHostRegister(void* memory, size_t bytes, unsigned int flags) {
    return cuMemHostRegister_v2(memory, bytes, flags);
}
CUresult CUDAAPI cuMemHostUnregister(void* memory) {
    FAKE_ENTRY();
    FAKE_TRY(capture_forbids_unsafe_call());
    Context* context = nullptr;
    FAKE_TRY(current_usable(&context));
    wait_for_all(ends_of(*context));
    return unregister_memory(memory);
}
CUresult CUDAAPI cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* host, unsigned int) {
    FAKE_ENTRY();
    Context* context = nullptr;
    FAKE_TRY(current_usable(&context));
    *address = device_address(host);
    return *address != 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuPointerSetAttribute(const void* value, CUpointer_attribute attribute, CUdeviceptr pointer) {
    FAKE_ENTRY();
    const Extent extent = extent_at(host_of(pointer));
    if (value == nullptr || extent.bytes == 0 || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
        return CUDA_ERROR_INVALID_VALUE;
    return extent.mapped ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;  // as on an H200
}

// Answers like the driver: an address that it does not know has memory type 0 and range 0.
CUresult CUDAAPI cuPointerGetAttributes(unsigned int count, CUpointer_attribute* attributes, void** answers,
                                        CUdeviceptr pointer) {
    FAKE_ENTRY();
    if (attributes == nullptr || answers == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const Extent extent = extent_at(host_of(pointer));
    const bool on_device = extent.kind == Memory::kDevice || extent.kind == Memory::kManaged;
    for (unsigned int i = 0; i < count; ++i) {
        void* const answer = answers[i];
        switch (attributes[i]) {
            case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
                *static_cast<unsigned*>(answer) =
                    extent.bytes == 0 ? 0 : (on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST);
                break;
            case CU_POINTER_ATTRIBUTE_IS_MANAGED:
                *static_cast<unsigned*>(answer) = extent.kind == Memory::kManaged ? 1 : 0;
                break;
            case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *static_cast<int*>(answer) = extent.device; break;
            case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: *static_cast<uintptr_t*>(answer) = extent.start; break;
            case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *static_cast<size_t*>(answer) = extent.bytes; break;
            default: return CUDA_ERROR_NOT_SUPPORTED;
        }
    }
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuPointerGetAttribute(void* answer, CUpointer_attribute attribute, CUdeviceptr pointer) {
    if (extent_at(host_of(pointer)).bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    return cuPointerGetAttributes(1, &attribute, &answer, pointer);
}

// Only memory of cuMemAlloc can be shared by an IPC handle; mapped memory cannot, as on an H200.
CUresult CUDAAPI cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr pointer) {
    FAKE_ENTRY();
    const Extent extent = extent_at(host_of(pointer));
    return handle != nullptr && extent.kind == Memory::kDevice && !extent.mapped ? CUDA_SUCCESS
                                                                                 : CUDA_ERROR_INVALID_VALUE;
}
// Always fails, since memory of other processes is not imitated.
CUresult CUDAAPI cuIpcOpenMemHandle_v2(CUdeviceptr*, CUipcMemHandle, unsigned int) {
    FAKE_ENTRY();
    return CUDA_ERROR_INVALID_VALUE;
}
CUresult CUDAAPI cuIpcCloseMemHandle(CUdeviceptr) {
    FAKE_ENTRY();
    return CUDA_ERROR_INVALID_VALUE;
}
// A descriptor of linear memory alone.
CUresult CUDAAPI cuTexObjectCreate(CUtexObject* texture, const CUDA_RESOURCE_DESC*, const CUDA_TEXTURE_DESC*,
                                   const CUDA_RESOURCE_VIEW_DESC*) {
    FAKE_ENTRY();
    *texture = 1;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemAllocAsync(CUdeviceptr* address, size_t bytes, CUstream handle) {
    FAKE_ENTRY();
    if (address == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    Stream* stream = nullptr;
    FAKE_TRY(stream_of(handle, Within::kOwnContext, &stream));
    FAKE_TRY(submit(*stream, {}, InCapture::kForbidden));
    *address = reinterpret_cast<CUdeviceptr>(allocate(*stream->context, bytes, Memory::kDevice, true));
    return *address != 0 ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
FAKE_PER_THREAD(cuMemAllocAsync, _ptsz, (CUdeviceptr * address, size_t bytes, CUstream stream),
                (address, bytes, stream))

CUresult CUDAAPI cuMemFreeAsync(CUdeviceptr address, CUstream handle) {
    FAKE_ENTRY();
    Stream* stream = nullptr;
    FAKE_TRY(stream_of(handle, Within::kOwnContext, &stream));
    const Extent extent = extent_at(host_of(address));
    if (extent.kind != Memory::kDevice || extent.mapped) return CUDA_ERROR_INVALID_VALUE;
    Command command;
    command.action = [address] { release(host_of(address), Memory::kDevice); };
    if (noop()) command.action();
    return submit(*stream, std::move(command), InCapture::kForbidden);
}
FAKE_PER_THREAD(cuMemFreeAsync, _ptsz, (CUdeviceptr address, CUstream stream), (address, stream))
}
