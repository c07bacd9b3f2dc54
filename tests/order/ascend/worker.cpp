#include "order/ascend/worker.h"

#include <algorithm>
#include <thread>

namespace order::ascend {

Worker::Worker(World& world, Signaller& signaller, const Options& options, int index)
    : SequentialWorker(world, signaller, options, index) {
    expect_success(aclrtSetCurrentContext(world.context), "aclrtSetCurrentContext");
    void* copied = nullptr;
    expect_success(aclrtMalloc(&numbers_, kNumbers * sizeof(uint32_t), 0), "aclrtMalloc");
    expect_success(aclrtMallocHost(&copied, kNumbers * sizeof(uint32_t)), "aclrtMallocHost");
    copy_ = static_cast<uint32_t*>(copied);
    std::fill_n(copy_, kNumbers, 0);
    expect_success(aclrtMemcpy(numbers_, kNumbers * sizeof(uint32_t), copy_, kNumbers * sizeof(uint32_t), 1),
                   "aclrtMemcpy");
    expect_success(aclrtCreateEventWithFlag(&event_, 0), "aclrtCreateEventWithFlag");
    own_ = last_ = world_.make_stream();
}

Worker::~Worker() {
    if (graph_ != nullptr) expect_success(aclmdlRIDestroy(graph_), "aclmdlRIDestroy");
    world_.destroy_stream(own_);
    expect_success(aclrtDestroyEvent(event_), "aclrtDestroyEvent");
    expect_success(aclrtFree(numbers_), "aclrtFree");
    expect_success(aclrtFreeHost(copy_), "aclrtFreeHost");
}

aclrtStream Worker::any_stream() {
    const uint32_t which = random_.below(4);
    return which < world_.shared.size() ? world_.shared[which] : which == 2 ? own_ : nullptr;
}

void Worker::give() {
    const aclrtStream stream = random_.once_in(2) ? last_ : any_stream();
    Activity::set("giving a command");
    come_behind_the_last(stream);
    const auto value = static_cast<uint32_t>(random_.next());
    if (random_.once_in(8))
        copy(stream);
    else if (random_.once_in(8))
        append_by_model(stream, value);
    else if (random_.once_in(20))
        append_by_graph(stream, value);
    else
        append(stream, value);
    last_ = stream;
}

// Makes the stream wait for the last command, if that is in another one.
void Worker::come_behind_the_last(aclrtStream stream) {
    if (stream == last_ || !has_given()) return;
    aclrtEvent event = event_;
    const bool fresh = random_.once_in(4);
    if (fresh) expect_success(aclrtCreateEventExWithFlag(&event, 2), "aclrtCreateEventExWithFlag");
    expect_success(random_.once_in(2) ? aclrtRecordEvent(event, last_) : rtEventRecord(event, last_),
                   "aclrtRecordEvent");
    expect_success(random_.once_in(2) ? aclrtStreamWaitEvent(stream, event) : rtStreamWaitEvent(stream, event),
                   "aclrtStreamWaitEvent");
    if (fresh) signaller_.add({world_.context, event});
}

void Worker::append(aclrtStream stream, uint32_t value) {
    Append arguments{numbers_, value, kNumbers};
    expect_success(random_.once_in(2)
                       ? aclrtLaunchKernel(world_.kernel, kNumbers, &arguments, sizeof arguments, stream)
                       : rtKernelLaunch(world_.kernel, kNumbers, &arguments, sizeof arguments, nullptr, stream),
                   "a launch of a kernel");
    expect(value);
}

void Worker::append_by_model(aclrtStream stream, uint32_t value) {
    expect_success(aclmdlExecuteAsync(value, nullptr, numbers_, stream), "aclmdlExecuteAsync");
    expect(value);
}

// In the thread's own stream, which no other thread touches, two kernels are captured. The graph runs in any stream.
void Worker::append_by_graph(aclrtStream stream, uint32_t value) {
    const std::shared_lock lock(world_.no_capture);
    expect_success(aclmdlRICaptureBegin(own_, ACL_MODEL_RI_CAPTURE_MODE_RELAXED), "aclmdlRICaptureBegin");
    append(own_, value);
    append(own_, value + 1);
    if (graph_ != nullptr) expect_success(aclmdlRIDestroy(graph_), "aclmdlRIDestroy");
    expect_success(aclmdlRICaptureEnd(own_, &graph_), "aclmdlRICaptureEnd");
    expect_success(aclmdlRIExecuteAsync(graph_, stream), "aclmdlRIExecuteAsync");
}

void Worker::copy(aclrtStream stream) {
    constexpr size_t kBytes = kNumbers * sizeof(uint32_t);
    expect_success(random_.once_in(2) ? aclrtMemcpyAsync(copy_, kBytes, numbers_, kBytes, 2, stream)
                                      : rtMemcpyAsync(copy_, kBytes, numbers_, kBytes, 2, stream),
                   "aclrtMemcpyAsync");
    expected_copy_ = expected_;
}

void Worker::wait_for_last() {
    switch (random_.below(5)) {
        case 0: {
            Activity::set("aclrtSynchronizeDevice");
            const std::lock_guard lock(world_.no_capture);
            return expect_success(aclrtSynchronizeDevice(), "aclrtSynchronizeDevice");
        }
        case 1:
            Activity::set("aclrtSynchronizeStreamWithTimeout");
            return expect_success(aclrtSynchronizeStreamWithTimeout(last_, -1), "aclrtSynchronizeStreamWithTimeout");
        case 2: {
            Activity::set("aclrtSynchronizeEvent");
            expect_success(aclrtRecordEvent(event_, last_), "aclrtRecordEvent");
            return expect_success(aclrtSynchronizeEvent(event_), "aclrtSynchronizeEvent");
        }
        case 3: {
            Activity::set("aclrtStreamQuery");
            auto status = aclrtStreamStatus{1};
            while (status != ACL_STREAM_STATUS_COMPLETE) {
                expect_success(aclrtStreamQuery(last_, &status), "aclrtStreamQuery");
                std::this_thread::yield();
            }
            return;
        }
        default:
            Activity::set("aclrtSynchronizeStream");
            expect_success(aclrtSynchronizeStream(last_), "aclrtSynchronizeStream");
    }
}

// The copy is looked at before any other call that waits, so that it shows a wait which returned too early.
void Worker::settle() {
    if (has_given()) {
        copy(last_);
        wait_for_last();
    }
    for (uint32_t i = 0; i < kNumbers; ++i)
        if (copy_[i] != expected_copy_) violation("copied number %u is %u instead of %u", i, copy_[i], expected_copy_);
    uint32_t found[kNumbers];
    expect_success(aclrtMemcpy(found, sizeof found, numbers_, sizeof found, 2), "aclrtMemcpy");
    for (uint32_t i = 0; i < kNumbers; ++i)
        if (found[i] != expected_) violation("number %u is %u instead of %u", i, found[i], expected_);
    if (random_.once_in(30)) {
        world_.destroy_stream(own_);
        own_ = world_.make_stream();
    }
    last_ = own_;
}

}  // namespace order::ascend
