// Streams as programs see them, host functions, and value operations.
#include <algorithm>

#include "fake/cuda/capture.h"
#include "fake/cuda/context.h"
#include "fake/cuda/memory.h"

using namespace fake;

namespace {

constexpr int kHighestPriority = -5;

CUresult create(CUstream* stream, unsigned flags, int priority) {
    if (stream == nullptr || flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    Context* context = nullptr;
    FAKE_TRY(current_usable(&context));
    const std::lock_guard lock(context->mutex);
    *stream =
        context->device->new_stream(*context, flags == CU_STREAM_DEFAULT, std::clamp(priority, kHighestPriority, 0));
    context->streams.push_back(*stream);
    return CUDA_SUCCESS;
}

CUresult host_command(CUstream handle, std::function<void()> function) {
    Stream* stream = nullptr;
    FAKE_TRY(stream_of(handle, Within::kOwnContext, &stream));
    Command command;
    command.kind = Kind::kHostFunction;
    command.action = std::move(function);
    return submit(*stream, std::move(command), InCapture::kNode);
}

CUresult value_command(Stream& stream, Command command) {
    if (command.kind == Kind::kAction && noop()) command.action();
    return submit(stream, std::move(command), InCapture::kForbidden);
}

CUresult value_stream(CUstream handle, CUdeviceptr address, Stream** stream) {
    FAKE_TRY(stream_of(handle, Within::kOwnContext, stream));
    if (g_settings.no_memops) return CUDA_ERROR_NOT_SUPPORTED;
    return word_is_usable(address, *(*stream)->context) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult wait_value(CUstream handle, CUdeviceptr address, uint64_t value, unsigned flags, bool wide) {
    Stream* stream = nullptr;
    FAKE_TRY(value_stream(handle, address, &stream));
    Command command;
    command.kind = Kind::kWaitValue;
    command.address = address;
    command.value = value;
    command.compare = flags;
    command.wide = wide;
    return value_command(*stream, std::move(command));
}

CUresult write_value(CUstream handle, CUdeviceptr address, uint64_t value, bool wide) {
    Stream* stream = nullptr;
    FAKE_TRY(value_stream(handle, address, &stream));
    Command command;
    command.action = [=] { write_word(address, value, wide, *stream->context); };
    return value_command(*stream, std::move(command));
}

CUresult batch_operation(CUstream stream, const CUstreamBatchMemOpParams& it) {
    switch (it.operation) {
        case CU_STREAM_MEM_OP_WAIT_VALUE_32:
            return wait_value(stream, it.waitValue.address, it.waitValue.value, it.waitValue.flags, false);
        case CU_STREAM_MEM_OP_WAIT_VALUE_64:
            return wait_value(stream, it.waitValue.address, it.waitValue.value64, it.waitValue.flags, true);
        case CU_STREAM_MEM_OP_WRITE_VALUE_32:
            return write_value(stream, it.writeValue.address, it.writeValue.value, false);
        case CU_STREAM_MEM_OP_WRITE_VALUE_64:
            return write_value(stream, it.writeValue.address, it.writeValue.value64, true);
        default: return CUDA_SUCCESS;
    }
}

// Stores a property of a stream, which may be of any context, in `value`.
template <typename Value, typename Property>
CUresult tell(CUstream handle, Value* value, Property property) {
    Stream* stream = nullptr;
    FAKE_TRY(stream_of(handle, Within::kAnyContext, &stream));
    *value = property(*stream);
    return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuStreamCreate(CUstream* stream, unsigned int flags) {
    FAKE_ENTRY();
    return create(stream, flags, 0);
}
CUresult CUDAAPI cuStreamCreateWithPriority(CUstream* stream, unsigned int flags, int priority) {
    FAKE_ENTRY();
    return create(stream, flags, priority);
}

CUresult CUDAAPI cuStreamDestroy_v2(CUstream handle) {
    FAKE_ENTRY();
    if (handle == nullptr || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD)
        return CUDA_ERROR_INVALID_HANDLE;
    Stream* stream = nullptr;
    FAKE_TRY(stream_of(handle, Within::kAnyContext, &stream));
    if (is_capturing(*stream)) return capture_forbids_synchronizing(*stream);
    const std::lock_guard lock(stream->context->mutex);
    auto& all = stream->context->streams;
    all.erase(std::remove(all.begin(), all.end(), stream), all.end());
    auto& destroyed = stream->context->destroyed;
    std::erase_if(destroyed, [](const Place& it) { return it.complete(); });
    if (!stream->idle()) destroyed.push_back(end_of(*stream));
    stream->context->hardware.give(stream->hardware);
    stream->to_body = nullptr;
    stream->alive = false;  // its executor lets it go once its work is done
    stream->device->wake();
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuStreamDestroy(CUstream stream) { return cuStreamDestroy_v2(stream); }

CUresult CUDAAPI cuStreamGetPriority(CUstream handle, int* priority) {
    FAKE_ENTRY();
    return tell(handle, priority, [](const Stream& stream) { return stream.priority; });
}
FAKE_PER_THREAD(cuStreamGetPriority, _ptsz, (CUstream stream, int* priority), (stream, priority))

CUresult CUDAAPI cuStreamGetFlags(CUstream handle, unsigned int* flags) {
    FAKE_ENTRY();
    return tell(handle, flags, [](const Stream& stream) {
        return unsigned{stream.blocking ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING};
    });
}
FAKE_PER_THREAD(cuStreamGetFlags, _ptsz, (CUstream stream, unsigned int* flags), (stream, flags))

CUresult CUDAAPI cuStreamGetId(CUstream handle, unsigned long long* id) {
    FAKE_ENTRY();
    return tell(handle, id, [](const Stream& stream) { return stream.id; });
}
FAKE_PER_THREAD(cuStreamGetId, _ptsz, (CUstream stream, unsigned long long* id), (stream, id))

CUresult CUDAAPI cuStreamGetCtx(CUstream handle, CUcontext* context) {
    FAKE_ENTRY();
    return tell(handle, context, [](const Stream& stream) { return stream.context; });
}
FAKE_PER_THREAD(cuStreamGetCtx, _ptsz, (CUstream stream, CUcontext* context), (stream, context))

CUresult CUDAAPI cuStreamQuery(CUstream handle) {
    FAKE_ENTRY();
    Stream* stream = nullptr;
    FAKE_TRY(stream_of(handle, Within::kAnyContext, &stream));
    FAKE_TRY(capture_forbids_synchronizing(*stream));
    FAKE_TRY(capture_forbids_unsafe_call());
    return stream->idle() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
FAKE_PER_THREAD(cuStreamQuery, _ptsz, (CUstream stream), (stream))

CUresult CUDAAPI cuStreamSynchronize(CUstream handle) {
    FAKE_ENTRY();
    Stream* stream = nullptr;
    FAKE_TRY(stream_of(handle, Within::kAnyContext, &stream));
    FAKE_TRY(capture_forbids_synchronizing(*stream));
    FAKE_TRY(capture_forbids_unsafe_call());  // as NVIDIA's driver does
    const auto in_use = lock_stream(*stream);
    if (!stream->legacy) {
        wait_for(end_of(*stream));
        return CUDA_SUCCESS;
    }
    std::vector<Place> ends;  // the legacy stream's end is also that of the blocking ones
    {
        const std::lock_guard lock(stream->context->mutex);
        for (Stream* it : stream->context->streams)
            if (it->blocking) ends.push_back(end_of(*it));
    }
    wait_for_all(ends);
    return CUDA_SUCCESS;
}
FAKE_PER_THREAD(cuStreamSynchronize, _ptsz, (CUstream stream), (stream))

CUresult CUDAAPI cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
    FAKE_ENTRY();
    if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return host_command(stream, [=] { function(data); });
}
FAKE_PER_THREAD(cuLaunchHostFunc, _ptsz, (CUstream stream, CUhostFn function, void* data), (stream, function, data))

CUresult CUDAAPI cuLaunchHostFunc_v2(CUstream stream, CUhostFn function, void* data, unsigned int) {
    FAKE_ENTRY();
    if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return host_command(stream, [=] { function(data); });
}
FAKE_PER_THREAD(cuLaunchHostFunc_v2, _ptsz, (CUstream stream, CUhostFn function, void* data, unsigned int mode),
                (stream, function, data, mode))

CUresult CUDAAPI cuStreamAddCallback(CUstream handle, CUstreamCallback callback, void* data, unsigned int flags) {
    FAKE_ENTRY();
    if (callback == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    Stream* stream = nullptr;
    FAKE_TRY(stream_of(handle, Within::kOwnContext, &stream));
    if (is_capturing(*stream)) return capture_forbids_synchronizing(*stream);
    return host_command(handle, [=] { callback(handle, CUDA_SUCCESS, data); });
}
FAKE_PER_THREAD(cuStreamAddCallback, _ptsz,
                (CUstream stream, CUstreamCallback callback, void* data, unsigned int flags),
                (stream, callback, data, flags))

CUresult CUDAAPI cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags) {
    FAKE_ENTRY();
    return wait_value(stream, address, value, flags, false);
}
FAKE_PER_THREAD(cuStreamWaitValue32_v2, _ptsz, (CUstream s, CUdeviceptr a, cuuint32_t v, unsigned int f), (s, a, v, f))
CUresult CUDAAPI cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned int flags) {
    FAKE_ENTRY();
    return wait_value(stream, address, value, flags, true);
}
FAKE_PER_THREAD(cuStreamWaitValue64_v2, _ptsz, (CUstream s, CUdeviceptr a, cuuint64_t v, unsigned int f), (s, a, v, f))
CUresult CUDAAPI cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int) {
    FAKE_ENTRY();
    return write_value(stream, address, value, false);
}
FAKE_PER_THREAD(cuStreamWriteValue32_v2, _ptsz, (CUstream s, CUdeviceptr a, cuuint32_t v, unsigned int f), (s, a, v, f))
CUresult CUDAAPI cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned int) {
    FAKE_ENTRY();
    return write_value(stream, address, value, true);
}
FAKE_PER_THREAD(cuStreamWriteValue64_v2, _ptsz, (CUstream s, CUdeviceptr a, cuuint64_t v, unsigned int f), (s, a, v, f))

CUresult CUDAAPI cuStreamBatchMemOp_v2(CUstream stream, unsigned int count, CUstreamBatchMemOpParams* operations,
                                       unsigned int) {
    FAKE_ENTRY();
    for (unsigned i = 0; i < count; ++i) FAKE_TRY(batch_operation(stream, operations[i]));
    return CUDA_SUCCESS;
}
FAKE_PER_THREAD(cuStreamBatchMemOp_v2, _ptsz,
                (CUstream s, unsigned int n, CUstreamBatchMemOpParams* operations, unsigned int f),
                (s, n, operations, f))
}
