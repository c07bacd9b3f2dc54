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

Worker::HostCopy Worker::draw_host_copy(Context& context) {
    HostCopy it;
    it.buffer = take(context.buffers, it.lock);
    if (it.buffer == nullptr) return it;
    it.pinned = left_out(Part::kPageable) || (random_.once_in(2) && !left_out(Part::kPinned));
    it.synchronous = random_.once_in(4) && may_be_synchronous();
    it.stream = it.synchronous ? synchronous_stream(context) : pick_stream(context);
    it.host = HostMemory::take(it.pinned);
    follow(it.stream, *it.buffer);
    return it;
}

template <typename AtOnce, typename InOrder>
void Worker::make(const HostCopy& it, const char* what, AtOnce at_once, InOrder in_order) {
    const Target to = target(*it.stream);
    Activity::set(what);
    CUresult result = CUDA_SUCCESS;
    {
        std::shared_lock<std::shared_mutex> unsafe;
        if (it.synchronous || !it.pinned) unsafe = std::shared_lock(unsafe_calls());
        result = it.synchronous ? at_once(default_api(*it.stream)) : in_order(to);
    }
    expect_success(result, what);
}

void Worker::run_write(Context& context) {
    HostCopy it = draw_host_copy(context);
    if (it.buffer == nullptr) return;
    Words words;
    for (uint32_t& word : words) word = random_.next();
    it.host->set(words);
    const void* from = it.host->words();
    const CUdeviceptr address = it.buffer->address;
    make(
        it, "a copy to the device", [&](const Api& api) { return api.cuMemcpyHtoD_v2(address, from, kBytes); },
        [&](const Target& to) {
            return random_.once_in(2) ? to.api.cuMemcpyAsync(address, unified(from), kBytes, to.handle)
                                      : to.api.cuMemcpyHtoDAsync_v2(address, from, kBytes, to.handle);
        });
    it.buffer->apply(words_step(words));
    const bool returned = it.synchronous || !it.pinned;  // the memory is the program's again
    accessed(it.stream, {it.buffer}, "copy to the device", {it.synchronous, memory_name(it.pinned), returned},
             std::move(it.host));
}

void Worker::run_read(Context& context) {
    HostCopy it = draw_host_copy(context);
    if (it.buffer == nullptr) return;
    it.host->expect(it.buffer->model);
    void* into = it.host->words();
    const CUdeviceptr address = it.buffer->address;
    make(
        it, "a copy to the host", [&](const Api& api) { return api.cuMemcpyDtoH_v2(into, address, kBytes); },
        [&](const Target& to) {
            return random_.once_in(2) ? to.api.cuMemcpyAsync(unified(into), address, kBytes, to.handle)
                                      : to.api.cuMemcpyDtoHAsync_v2(into, address, kBytes, to.handle);
        });
    accessed(it.stream, {it.buffer}, "copy to the host", {it.synchronous, memory_name(it.pinned), it.synchronous},
             std::move(it.host));
}

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
