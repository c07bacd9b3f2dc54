#include "order_cuda/worker.h"

namespace order::cuda {
namespace {

constexpr size_t kMostPending = 48;

}  // namespace

Worker::Worker(World& world, Signaller& signaller, uint64_t seed)
    : world_(world), signaller_(signaller), random_(seed) {
    for (const auto& it : world_.contexts) {
        const InContext inside(*it);
        Own& own = own_[it.get()];
        own.per_thread = std::make_shared<Stream>(*it, Sort::kPerThread, this);
        own.captured = std::make_shared<Stream>(*it, false, 0, this);
        own.forked = std::make_shared<Stream>(*it, false, -1, this);
        it->add_private(own.captured);
        it->add_private(own.forked);
        graphs_[it.get()];
    }
}

Worker::~Worker() {
    settle_all();
    for (auto& [context, graphs] : graphs_)
        while (!graphs.empty()) drop_graph(*context, graphs.size() - 1);
}

void Worker::one_operation() {
    Context& context = *world_.contexts[random_.below(static_cast<uint32_t>(world_.contexts.size()))];
    const InContext inside(context);
    const uint32_t dice = random_.below(1000);
    if (dice < 330)
        run_append(context);
    else if (dice < 430)
        run_mix(context);
    else if (dice < 500)
        run_set(context);
    else if (dice < 550)
        run_device_copy(context);
    else if (dice < 570)
        run_peer_copy();
    else if (dice < 640)
        run_write(context);
    else if (dice < 710)
        run_read(context);
    else if (dice < 730)
        run_two_dimensional(context);
    else if (dice < 765)
        run_host_function(context);
    else if (dice < 785)
        run_host_signal(context);
    else if (dice < 815)
        run_pool(context);
    else if (dice < 875)
        run_poll();
    else if (dice < 890)
        run_elapsed();
    else if (dice < 910)
        run_stream_synchronize(context);
    else if (dice < 912)
        run_context_synchronize(context);
    else if (dice < 918)
        run_new_stream(context);
    else if (dice < 920)
        run_new_memory(context);
    else if (dice < 930)
        run_capture(context);
    else
        run_graph(context);
}

void Worker::settle_all() {
    Activity::set("waiting for its work at the end");
    while (!pending_.empty()) {
        pending_.front()->settle();
        pending_.pop_front();
        count_operation();  // progress
    }
}

StreamPtr Worker::pick_stream(Context& context) {
    const Own& own = own_[&context];
    switch (random_.below(12)) {
        case 0:
        case 1:
            return context.legacy;
        case 2:
        case 3:
            return own.per_thread;
        case 4:
            return capturing_ ? context.stream(random_) : own.captured;
        case 5:
            return capturing_ ? context.stream(random_) : own.forked;
        default:
            return context.stream(random_);
    }
}

Target Worker::target(const Stream& stream) {
    const Api& usual = ::cuda::api();
    const Api& per_thread = ::cuda::per_thread_api();
    const bool by_null = random_.once_in(2);
    switch (stream.sort) {
        case Sort::kLegacy:
            return by_null ? Target{usual, nullptr} : Target{per_thread, CU_STREAM_LEGACY};
        case Sort::kPerThread:
            return by_null ? Target{per_thread, nullptr} : Target{usual, CU_STREAM_PER_THREAD};
        default:
            return {by_null ? usual : per_thread, stream.handle};
    }
}

Buffer* Worker::take(std::vector<std::unique_ptr<Buffer>>& all, Lock& lock) {
    for (int tries = 0; tries < 8; ++tries) {
        Buffer& buffer = *all[random_.below(static_cast<uint32_t>(all.size()))];
        Lock attempt(buffer.mutex, std::try_to_lock);
        if (!attempt.owns_lock()) continue;
        lock = std::move(attempt);
        return &buffer;
    }
    return nullptr;
}

TrackerPtr Worker::record(Stream& stream, const char* what) {
    const InContext inside(stream.context);
    const CUevent event = stream.context.new_event(!random_.once_in(3));
    const Target to = target(stream);
    expect_success(random_.once_in(3) ? to.api.cuEventRecordWithFlags(event, to.handle, CU_EVENT_RECORD_DEFAULT)
                                      : to.api.cuEventRecord(event, to.handle),
                   "cuEventRecord");
    auto tracker = std::make_shared<Tracker>(stream.context, event, what);
    stream.remember(tracker);
    return tracker;
}

TrackerPtr Worker::last_access(Buffer& buffer) {
    if (!buffer.last && buffer.last_stream) buffer.last = record(*buffer.last_stream, "the last access of a buffer");
    return buffer.last;
}

// `before` writes a number where `after` waits for it: what `after` does next follows what `before` did last.
void Worker::wait_by_value(Stream& before, const Stream& after) {
    const ValueWord word = after.context.value_word();
    {
        const InContext inside(before.context);
        const Target to = target(before);
        expect_success(to.api.cuStreamWriteValue32_v2(to.handle, word.address, word.number, 0), "cuStreamWriteValue32");
    }
    const InContext inside(after.context);
    const Target to = target(after);
    const unsigned compare = random_.once_in(2) ? CU_STREAM_WAIT_VALUE_GEQ : CU_STREAM_WAIT_VALUE_EQ;
    expect_success(to.api.cuStreamWaitValue32_v2(to.handle, word.address, word.number, compare), "cuStreamWaitValue32");
    count_operation();
}

void Worker::follow(const StreamPtr& stream, Buffer& buffer) {
    if (!buffer.last_stream && !buffer.last) return;
    const StreamPtr& last = buffer.last_stream;
    if (last == stream && !random_.once_in(8)) return;
    if (last && last->synchronizes_with(*stream) && !random_.once_in(4)) return;
    const bool may_use_last = last && (last->owner == nullptr || last->owner == this);
    if (may_use_last && last != stream && !capturing_ && last->context.value_operations &&
        stream->context.value_operations && random_.once_in(4)) {
        wait_by_value(*last, *stream);
        if (buffer.last) dependencies_.push_back(buffer.last);
        return;
    }
    const TrackerPtr tracker = last_access(buffer);
    dependencies_.push_back(tracker);
    if (!capturing_ && random_.once_in(12)) {
        Activity::set("waiting for a buffer's last access");
        const std::shared_lock unsafe(unsafe_calls());
        expect_success(api().cuEventSynchronize(tracker->event()), "cuEventSynchronize");
        return;
    }
    const Target to = target(*stream);
    expect_success(to.api.cuStreamWaitEvent(to.handle, tracker->event(), CU_EVENT_WAIT_DEFAULT), "cuStreamWaitEvent");
}

void Worker::accessed(const StreamPtr& stream, std::vector<Buffer*> buffers, const char* what,
                      std::unique_ptr<HostMemory> host) {
    count_operation();
    TrackerPtr tracker;
    // Others cannot record in a stream of ours later on.
    if (host != nullptr || stream->owner != nullptr || random_.once_in(3)) {
        tracker = record(*stream, what);
        tracker->set_dependencies(std::move(dependencies_));
        tracker->set_host(std::move(host));
    }
    dependencies_.clear();
    for (Buffer* it : buffers) {
        it->last_stream = stream;
        it->last = tracker;
    }
    if (tracker != nullptr) track(tracker);
}

void Worker::track(const TrackerPtr& tracker) {
    pending_.push_back(tracker);
    if (pending_.size() <= kMostPending || capturing_) return;
    Activity::set("waiting for its oldest work");
    pending_.front()->settle();
    pending_.pop_front();
}

}  // namespace order::cuda
