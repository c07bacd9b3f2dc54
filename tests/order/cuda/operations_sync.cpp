// Waits, polls, times, numbers stored by the host, and streams that come and go.
#include <algorithm>

#include "order/cuda/worker.h"

namespace order::cuda {

void Worker::run_poll() {
    if (pending_.empty()) return;
    const TrackerPtr it = pending_.any(random_);
    Activity::set("cuEventQuery");
    if (it->complete())
        it->check_complete("cuEventQuery");
    else if (random_.once_in(16))
        it->settle();
    count_operation();
}

// The later one of two points of one stream does not have the earlier time.
void Worker::run_elapsed() {
    if (pending_.empty()) return;
    const TrackerPtr end = pending_.oldest();
    Context& context = end->context();
    const InContext inside(context);
    const StreamPtr stream = pick_stream(context);
    const TrackerPtr first = record(*stream, "first of two points");
    const TrackerPtr second = record(*stream, "second of two points");
    if (random_.once_in(2)) {
        Activity::set("waiting for the second of two points");
        second->settle();
        float milliseconds = 0;
        const CUresult result = api().cuEventElapsedTime(&milliseconds, first->event(), second->event());
        // Some of the events were created without timing: cuEventElapsedTime refuses those.
        if (result != CUDA_ERROR_INVALID_HANDLE) expect_success(result, "cuEventElapsedTime");
        if (result == CUDA_SUCCESS && milliseconds < 0)
            violation("%f ms between two points of one stream", static_cast<double>(milliseconds));
    } else {
        track(second);
    }
    count_operation();
}

void Worker::run_stream_synchronize(Context& context) {
    const StreamPtr stream = pick_stream(context);
    const std::vector<TrackerPtr> before = stream->remembered();
    const Target to = target(*stream);
    std::shared_lock unsafe(unsafe_calls());
    if (random_.once_in(3)) {
        const CUresult result = to.api.cuStreamQuery(to.handle);
        unsafe.unlock();
        if (result == CUDA_SUCCESS && stream->sort != Sort::kLegacy)
            for (const TrackerPtr& it : before) it->check_complete("cuStreamQuery");
        if (result != CUDA_ERROR_NOT_READY) expect_success(result, "cuStreamQuery");
    } else {
        Activity::set("cuStreamSynchronize");
        expect_success(to.api.cuStreamSynchronize(to.handle), "cuStreamSynchronize");
        unsafe.unlock();
        for (const TrackerPtr& it : before) it->check_complete("cuStreamSynchronize");
    }
    count_operation();
}

void Worker::run_context_synchronize(Context& context) {
    std::vector<TrackerPtr> before;
    for (const StreamPtr& stream : context.streams()) {
        const auto its = stream->remembered();
        before.insert(before.end(), its.begin(), its.end());
    }
    Activity::set("cuCtxSynchronize");
    {
        const std::unique_lock nobody_captures(any_capture());
        const CUresult result = api().cuCtxSynchronize();
        if (result != CUDA_SUCCESS) return expect_success(result, "cuCtxSynchronize");
    }
    for (const TrackerPtr& it : before) it->check_complete("cuCtxSynchronize");
    count_operation();
}

// Lets a stream wait for a number that the host stores a little later.
void Worker::run_host_signal(Context& context) {
    if (!context.value_operations) return;
    const StreamPtr stream = pick_stream(context);
    const ValueWord word = context.value_word();
    const Target to = target(*stream);
    Activity::set("cuStreamWaitValue32");
    if (random_.once_in(2)) {
        expect_success(to.api.cuStreamWaitValue32_v2(to.handle, word.address, word.number, CU_STREAM_WAIT_VALUE_GEQ),
                       "cuStreamWaitValue32");
    } else {
        CUstreamBatchMemOpParams operations[1] = {};
        operations[0].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
        operations[0].waitValue.address = word.address;
        operations[0].waitValue.value = word.number;
        operations[0].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
        expect_success(to.api.cuStreamBatchMemOp_v2(to.handle, 1, operations, 0), "cuStreamBatchMemOp");
    }
    signaller_.add(word);
    count_operation();
}

// The old stream is destroyed with work in it; what comes next on its buffers waits for events instead.
void Worker::run_new_stream(Context& context) {
    const StreamPtr old = context.replace_stream(random_);
    for (auto* all : {&context.buffers, &context.host_words})
        for (const auto& buffer : *all) {
            const Lock lock(buffer->mutex, std::try_to_lock);
            if (!lock.owns_lock() || buffer->last_stream != old) continue;
            last_access(*buffer);
            buffer->last_stream.reset();
        }
    count_operation();
}

}  // namespace order::cuda
