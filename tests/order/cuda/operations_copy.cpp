// Copies of all kinds, synchronous and not, from and to pinned and pageable memory.
#include "order/cuda/parts.h"
#include "order/cuda/worker.h"

namespace order::cuda {
namespace {

CUdeviceptr unified(const void* host) { return reinterpret_cast<CUdeviceptr>(host); }
const char* memory_name(bool pinned) { return pinned ? "pinned memory" : "pageable memory"; }

}  // namespace

void Worker::run_device_copy(Context& context) {
    Lock to_lock, from_lock;
    Buffer* to = take(context.buffers, to_lock);
    Buffer* from = to != nullptr ? take(context.buffers, from_lock) : nullptr;
    if (from == nullptr) return;
    const bool synchronous = random_.once_in(4) && may_be_synchronous();
    const StreamPtr stream = synchronous ? synchronous_stream(context) : pick_stream(context);
    follow(stream, *to);
    follow(stream, *from);
    const Target where = target(*stream);
    Activity::set("a copy within the device");
    CUresult result = CUDA_SUCCESS;
    if (synchronous) {
        const std::shared_lock unsafe(unsafe_calls());
        const Api& table = default_api(*stream);
        result = random_.once_in(2) ? table.cuMemcpy(to->address, from->address, kBytes)
                                    : table.cuMemcpyDtoD_v2(to->address, from->address, kBytes);
    } else {
        result = random_.once_in(2) ? where.api.cuMemcpyAsync(to->address, from->address, kBytes, where.handle)
                                    : where.api.cuMemcpyDtoDAsync_v2(to->address, from->address, kBytes, where.handle);
    }
    expect_success(result, "a copy within the device");
    to->apply(words_step(from->model), from);
    accessed(stream, {to, from}, "device copy", {synchronous});
}

void Worker::run_peer_copy() {
    if (left_out(Part::kSecond)) return;
    Context& to_context = *world_.contexts.front();
    Context& from_context = *world_.contexts.back();
    Lock to_lock, from_lock;
    Buffer* to = take(to_context.buffers, to_lock);
    Buffer* from = to != nullptr ? take(from_context.buffers, from_lock) : nullptr;
    if (from == nullptr) return;
    const InContext inside(to_context);
    const StreamPtr stream = pick_stream(to_context);
    follow(stream, *to);
    follow(stream, *from);
    const Target where = target(*stream);
    Activity::set("cuMemcpyPeerAsync");
    expect_success(where.api.cuMemcpyPeerAsync(to->address, to_context.handle, from->address, from_context.handle,
                                               kBytes, where.handle),
                   "cuMemcpyPeerAsync");
    to->apply(words_step(from->model), from);
    note(*stream, {to, from}, "peer copy");
    // Records an event behind the copy, so that the next access to either buffer, in either context, can wait for the
    // copy.
    const TrackerPtr tracker = record(*stream, "peer copy");
    tracker->set_dependencies(std::move(dependencies_));
    dependencies_.clear();
    for (Buffer* it : {to, from}) {
        it->last_stream = stream;
        it->last = tracker;
    }
    count_operation();
    track(tracker);
}

void Worker::run_write(Context& context) {
    Lock lock;
    Buffer* buffer = take(context.buffers, lock);
    if (buffer == nullptr) return;
    const bool pinned = left_out(Part::kPageable) || (random_.once_in(2) && !left_out(Part::kPinned));
    const bool synchronous = random_.once_in(4) && may_be_synchronous();
    const StreamPtr stream = synchronous ? synchronous_stream(context) : pick_stream(context);
    auto host = HostMemory::take(pinned);
    Words words;
    for (uint32_t& it : words) it = random_.next();
    host->set(words);
    follow(stream, *buffer);
    const Target to = target(*stream);
    Activity::set(synchronous ? "cuMemcpyHtoD" : "cuMemcpyHtoDAsync");
    CUresult result = CUDA_SUCCESS;
    std::shared_lock<std::shared_mutex> unsafe;
    if (synchronous || !pinned) unsafe = std::shared_lock(unsafe_calls());
    if (synchronous) {
        const Api& table = default_api(*stream);
        result = table.cuMemcpyHtoD_v2(buffer->address, host->words(), kBytes);
    } else if (random_.once_in(2)) {
        result = to.api.cuMemcpyAsync(buffer->address, unified(host->words()), kBytes, to.handle);
    } else {
        result = to.api.cuMemcpyHtoDAsync_v2(buffer->address, host->words(), kBytes, to.handle);
    }
    if (unsafe.owns_lock()) unsafe.unlock();
    expect_success(result, "a copy to the device");
    buffer->apply(words_step(words));
    const bool returned = synchronous || !pinned;  // the memory is the program's again
    accessed(stream, {buffer}, "copy to the device", {synchronous, memory_name(pinned), returned}, std::move(host));
}

void Worker::run_read(Context& context) {
    Lock lock;
    Buffer* buffer = take(context.buffers, lock);
    if (buffer == nullptr) return;
    const bool synchronous = random_.once_in(4) && may_be_synchronous();
    const StreamPtr stream = synchronous ? synchronous_stream(context) : pick_stream(context);
    const bool pinned = left_out(Part::kPageable) || (random_.once_in(2) && !left_out(Part::kPinned));
    auto host = HostMemory::take(pinned);
    host->expect(buffer->model);
    follow(stream, *buffer);
    const Target to = target(*stream);
    Activity::set(synchronous ? "cuMemcpyDtoH" : "cuMemcpyDtoHAsync");
    CUresult result = CUDA_SUCCESS;
    std::shared_lock<std::shared_mutex> unsafe;
    if (synchronous || !pinned) unsafe = std::shared_lock(unsafe_calls());
    if (synchronous) {
        const Api& table = default_api(*stream);
        result = table.cuMemcpyDtoH_v2(host->words(), buffer->address, kBytes);
    } else if (random_.once_in(2)) {
        result = to.api.cuMemcpyAsync(unified(host->words()), buffer->address, kBytes, to.handle);
    } else {
        result = to.api.cuMemcpyDtoHAsync_v2(host->words(), buffer->address, kBytes, to.handle);
    }
    if (unsafe.owns_lock()) unsafe.unlock();
    expect_success(result, "a copy to the host");
    accessed(stream, {buffer}, "copy to the host", {synchronous, memory_name(pinned), synchronous}, std::move(host));
}

// Copies the middle of a buffer within the device as a two-dimensional copy: two rows, each half as wide as a row.
void Worker::run_two_dimensional(Context& context) {
    const auto [lock, buffer, stream] = next_turn(context, context.buffers);
    if (buffer == nullptr) return;
    constexpr size_t kPitch = kBytes / 4;
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = copy.dstMemoryType = random_.once_in(2) ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_UNIFIED;
    copy.srcDevice = copy.dstDevice = buffer->address;
    copy.srcPitch = copy.dstPitch = kPitch;
    copy.dstY = 2;
    copy.dstXInBytes = kPitch / 2;
    copy.WidthInBytes = kPitch / 2;
    copy.Height = 2;
    const Target to = target(*stream);
    Activity::set("cuMemcpy2DAsync");
    expect_success(to.api.cuMemcpy2DAsync_v2(&copy, to.handle), "cuMemcpy2DAsync");
    buffer->apply(two_dimensional_step());
    accessed(stream, {buffer}, "2D copy");
}

}  // namespace order::cuda
