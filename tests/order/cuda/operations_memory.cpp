// Memory that comes and goes: stream-ordered, and with the synchronizing calls.
#include "order/cuda/worker.h"

namespace order::cuda {

// Allocates stream-ordered memory from the pool, copies a buffer's content there and back in the stream, and frees
// the memory.
void Worker::run_pool(Context& context) {
    if (!context.memory_pools) return;
    const auto [lock, buffer, stream] = next_turn(context, context.buffers);
    if (buffer == nullptr) return;
    const Target to = target(*stream);
    std::shared_lock<std::shared_mutex> unsafe;
    if (!capturing_) unsafe = std::shared_lock(unsafe_calls());
    CUdeviceptr detour = 0;
    Activity::set("cuMemAllocAsync");
    const CUresult result = to.api.cuMemAllocAsync(&detour, kBytes, to.handle);
    expect_success(result, "cuMemAllocAsync");
    if (result != CUDA_SUCCESS) return;
    const uint32_t value = random_.next();
    expect_success(to.api.cuMemcpyDtoDAsync_v2(detour, buffer->address, kBytes, to.handle), "cuMemcpyDtoDAsync");
    expect_success(launch_append(context, to, detour, value), "a kernel launch");
    expect_success(to.api.cuMemcpyAsync(buffer->address, detour, kBytes, to.handle), "cuMemcpyAsync");
    Activity::set("cuMemFreeAsync");
    expect_success(to.api.cuMemFreeAsync(detour, to.handle), "cuMemFreeAsync");
    if (unsafe.owns_lock()) unsafe.unlock();
    buffer->apply(append_step(value));
    accessed(stream, {buffer}, "detour through pool memory");
}

// cuMemFree while the buffer may be in use: the stand-in waits by itself, a real driver does not promise to.
void Worker::run_new_memory(Context& context) {
    Lock lock;
    Buffer* buffer = take(context.buffers, lock);
    if (buffer == nullptr || buffer->graphs != 0) return;
    if (buffer->last && &buffer->last->context() != &context) return;  // it waits for its own context's work alone
    if (buffer->last_stream && &buffer->last_stream->context != &context) return;
    static const bool real = ::cuda::fake_control("fake_cuda_live") == nullptr;
    if (const TrackerPtr last = real ? last_access(*buffer) : nullptr) {
        Activity::set("waiting for the last use of memory");
        last->settle();
    }
    CUdeviceptr fresh = 0;
    {
        const std::shared_lock unsafe(unsafe_calls());
        Activity::set("cuMemAlloc");
        expect_success(api().cuMemAlloc_v2(&fresh, kBytes), "cuMemAlloc");
        Activity::set("cuMemFree");
        expect_success(api().cuMemFree_v2(buffer->address), "cuMemFree");
    }
    buffer->address = fresh;
    buffer->last.reset();
    const StreamPtr stream = pick_stream(context);
    buffer->last_stream.reset();
    buffer->history.tie("nothing: the memory is new");
    const Target to = target(*stream);
    expect_success(to.api.cuMemsetD32Async(fresh, 7, kWords, to.handle), "cuMemsetD32Async");
    buffer->apply(fill_step(7));
    accessed(stream, {buffer}, "memset of new memory");
}

}  // namespace order::cuda
