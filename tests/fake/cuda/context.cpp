#include "fake/cuda/context.h"

#include <algorithm>

#include "fake/cuda/capture.h"
#include "fake/cuda/launch.h"
#include "fake/cuda/live.h"
#include "fake/cuda/memory.h"

namespace fake {
namespace {

thread_local std::vector<Context*> t_stack;

std::mutex& pool_mutex() {
    static std::mutex& it = *new std::mutex;
    return it;
}
std::vector<Context*>& spare_contexts() {
    static std::vector<Context*>& it = *new std::vector<Context*>;
    return it;
}

Stream* per_thread_stream(Context& context) {
    thread_local uint64_t known_id = 0;
    thread_local Stream* known = nullptr;
    if (known_id == context.id) return known;
    const std::lock_guard lock(context.mutex);
    Stream*& mine = context.per_thread[std::this_thread::get_id()];
    if (mine == nullptr) {
        mine = context.device->new_stream(context, true, 0);
        context.streams.push_back(mine);
    }
    known = mine;
    known_id = context.id;
    return known;
}

}  // namespace

Context* current() { return t_stack.empty() ? nullptr : t_stack.back(); }

CUresult current_usable(Context** context) {
    *context = current();
    if (*context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    return (*context)->alive.load() ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

static CUresult find_stream(CUstream handle, Within within, Stream** stream) {
    const bool per_thread = handle == CU_STREAM_PER_THREAD || (handle == nullptr && t_per_thread);
    if (handle == nullptr || handle == CU_STREAM_LEGACY || per_thread) {
        Context* context = nullptr;
        FAKE_TRY(current_usable(&context));
        *stream = per_thread ? per_thread_stream(*context) : context->legacy;
        return CUDA_SUCCESS;
    }
    const CUstream_st::Body* body = handle->to_body.load();
    if (body == nullptr || body->stream != handle || handle->magic != kMagicStream || !handle->alive.load()) {
        report_misuse("stream %p does not exist (any more)", static_cast<void*>(handle));
        return CUDA_ERROR_INVALID_HANDLE;
    }
    *stream = handle;
    if (within == Within::kAnyContext) return CUDA_SUCCESS;
    Context* context = nullptr;
    FAKE_TRY(current_usable(&context));
    return handle->context == context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult stream_of(CUstream handle, Within within, Stream** stream) {
    FAKE_TRY(find_stream(handle, within, stream));
    if (caller() == Caller::kErrands && !(*stream)->of_errands) forbid_caller("a function for the program's stream");
    return CUDA_SUCCESS;
}

Context* make_context(Device& device, unsigned flags) {
    static std::atomic<uint64_t> ids{1};
    Context* context = nullptr;
    {
        const std::lock_guard lock(pool_mutex());
        auto& spare = spare_contexts();
        const auto fitting =
            std::find_if(spare.begin(), spare.end(), [&](Context* it) { return it->device == &device; });
        if (fitting != spare.end()) {
            context = *fitting;
            spare.erase(fitting);
        } else {
            context = new Context;
            context->device = &device;
        }
    }
    const std::lock_guard lock(context->mutex);
    context->id = ids.fetch_add(1);
    context->flags = flags;
    context->legacy = device.new_stream(*context, true, 0);
    context->legacy->legacy = true;
    context->streams.push_back(context->legacy);
    context->channels = allocate_channels(device.ordinal);
    context->alive = true;
    count_live("context", 1);
    return context;
}

void end_context(Context& context) {
    forget_captures_of(context);
    wait_for_all(ends_of(context));
    {
        const std::lock_guard lock(context.mutex);
        context.alive = false;
        for (Stream* it : context.streams) it->alive = false, it->to_body = nullptr;
        context.streams.clear();
        context.per_thread.clear();
        context.device->wake();
        context.hardware.end();
    }
    release_all_of(context);
    end_modules_of(context);
    free_channels(context.channels);
    count_live("context", -1);
    const std::lock_guard lock(pool_mutex());
    spare_contexts().push_back(&context);
}

}  // namespace fake

using namespace fake;

// Does `act` with a device under the lock of its primary context.
template <typename Act>
static CUresult with_primary(CUdevice ordinal, Act act) {
    Device* device = device_at(ordinal);
    if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    const std::lock_guard lock(device->primary_mutex);
    return act(*device);
}

extern "C" {

CUresult CUDAAPI cuCtxCreate_v2(CUcontext* context, unsigned int flags, CUdevice device) {
    FAKE_ENTRY();
    if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (device_at(device) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    *context = make_context(*device_at(device), flags);
    t_stack.push_back(*context);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxDestroy_v2(CUcontext context) {
    FAKE_ENTRY();
    if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!context->alive.load()) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (!t_stack.empty() && t_stack.back() == context) t_stack.pop_back();
    end_context(*context);
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxDestroy(CUcontext context) { return cuCtxDestroy_v2(context); }

CUresult CUDAAPI cuCtxPushCurrent_v2(CUcontext context) {
    FAKE_ENTRY();
    if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!context->alive.load()) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    t_stack.push_back(context);
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxPushCurrent(CUcontext context) { return cuCtxPushCurrent_v2(context); }

CUresult CUDAAPI cuCtxPopCurrent_v2(CUcontext* context) {
    FAKE_ENTRY();
    if (t_stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
    if (context != nullptr) *context = t_stack.back();
    t_stack.pop_back();
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxPopCurrent(CUcontext* context) { return cuCtxPopCurrent_v2(context); }

CUresult CUDAAPI cuCtxSetCurrent(CUcontext context) {
    FAKE_ENTRY();
    if (context != nullptr && !context->alive.load()) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (!t_stack.empty()) t_stack.pop_back();
    if (context != nullptr) t_stack.push_back(context);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxGetCurrent(CUcontext* context) {
    FAKE_ENTRY();
    if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *context = current();
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxGetDevice(CUdevice* device) {
    FAKE_ENTRY();
    Context* context = nullptr;
    FAKE_TRY(current_usable(&context));
    *device = context->device->ordinal;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxGetFlags(unsigned int* flags) {
    FAKE_ENTRY();
    Context* context = nullptr;
    FAKE_TRY(current_usable(&context));
    *flags = context->flags;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxSetFlags(unsigned int flags) {
    FAKE_ENTRY();
    Context* context = nullptr;
    FAKE_TRY(current_usable(&context));
    context->flags = flags;
    return CUDA_SUCCESS;
}

// Enabling peer access does nothing but check: device memory is host memory here, so every device reaches all of it.
CUresult CUDAAPI cuCtxEnablePeerAccess(CUcontext context, unsigned int flags) {
    FAKE_ENTRY();
    Context* own = nullptr;
    FAKE_TRY(current_usable(&own));
    return context != nullptr && flags == 0 && context->device != own->device ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult CUDAAPI cuCtxDisablePeerAccess(CUcontext context) {
    FAKE_ENTRY();
    return context != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult CUDAAPI cuCtxGetId(CUcontext context, unsigned long long* id) {
    FAKE_ENTRY();
    if (context == nullptr) FAKE_TRY(current_usable(&context));
    *id = context->id;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    FAKE_ENTRY();
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxSynchronize_v2(CUcontext context) {
    FAKE_ENTRY();
    if (context == nullptr) FAKE_TRY(current_usable(&context));
    FAKE_TRY(capture_forbids_synchronizing(*context));
    wait_for_all(ends_of(*context));
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxSynchronize(void) {
    FAKE_ENTRY();
    return cuCtxSynchronize_v2(nullptr);
}

CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice ordinal) {
    FAKE_ENTRY();
    return with_primary(ordinal, [&](Device& device) {
        if (device.primary == nullptr) device.primary = make_context(device, device.primary_flags);
        ++device.primary_users;
        *context = device.primary;
        return CUDA_SUCCESS;
    });
}

CUresult CUDAAPI cuDevicePrimaryCtxRelease_v2(CUdevice ordinal) {
    FAKE_ENTRY();
    return with_primary(ordinal, [&](Device& device) {
        if (device.primary_users == 0) return CUDA_ERROR_INVALID_CONTEXT;
        if (--device.primary_users > 0) return CUDA_SUCCESS;
        end_context(*device.primary);
        device.primary = nullptr;
        return CUDA_SUCCESS;
    });
}

CUresult CUDAAPI cuDevicePrimaryCtxReset_v2(CUdevice ordinal) {
    FAKE_ENTRY();
    return with_primary(ordinal, [&](Device& device) {
        if (device.primary == nullptr) return CUDA_SUCCESS;
        end_context(*device.primary);
        device.primary = device.primary_users > 0 ? make_context(device, device.primary_flags) : nullptr;
        return CUDA_SUCCESS;
    });
}

CUresult CUDAAPI cuDevicePrimaryCtxSetFlags_v2(CUdevice ordinal, unsigned int flags) {
    FAKE_ENTRY();
    return with_primary(ordinal, [&](Device& device) {
        device.primary_flags = flags;
        return CUDA_SUCCESS;
    });
}

CUresult CUDAAPI cuDevicePrimaryCtxGetState(CUdevice ordinal, unsigned int* flags, int* active) {
    FAKE_ENTRY();
    return with_primary(ordinal, [&](Device& device) {
        if (flags != nullptr) *flags = device.primary_flags;
        if (active != nullptr) *active = device.primary != nullptr;
        return CUDA_SUCCESS;
    });
}
}
