#include "order/cuda/worker.h"

#include "order/cuda/parts.h"

namespace order::cuda {
namespace {

bool may_use(const Stream& stream) {
    switch (stream.sort) {
        case Sort::kLegacy: return !left_out(Part::kLegacy);
        case Sort::kPerThread: return !left_out(Part::kPerThread);
        case Sort::kBlocking: return !left_out(Part::kBlocking);
        default: return !left_out(stream.owner != nullptr ? Part::kOwn : Part::kNonBlocking);
    }
}

}  // namespace

Worker::Worker(World& world, Signaller& signaller, const Options& options, int number)
    : number_(number),
      world_(world),
      signaller_(signaller),
      random_(options.seed * 1000 + static_cast<uint64_t>(number)) {
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

// How often each operation comes, in thousandths of all where none is left out or favoured.
struct Worker::Operation {
    Part part;
    uint32_t weight;
    void (*run)(Worker& worker, Context& context);
};
const Worker::Operation Worker::kOperations[] = {
    {Part::kAppend, 330, [](Worker& it, Context& context) { it.run_append(context); }},
    {Part::kMix, 100, [](Worker& it, Context& context) { it.run_mix(context); }},
    {Part::kSet, 70, [](Worker& it, Context& context) { it.run_set(context); }},
    {Part::kCopy, 50, [](Worker& it, Context& context) { it.run_device_copy(context); }},
    {Part::kPeer, 20, [](Worker& it, Context&) { it.run_peer_copy(); }},
    {Part::kWrite, 70, [](Worker& it, Context& context) { it.run_write(context); }},
    {Part::kRead, 70, [](Worker& it, Context& context) { it.run_read(context); }},
    {Part::kTwoDimensional, 20, [](Worker& it, Context& context) { it.run_two_dimensional(context); }},
    {Part::kHost, 35, [](Worker& it, Context& context) { it.run_host_function(context); }},
    {Part::kSignal, 20, [](Worker& it, Context& context) { it.run_host_signal(context); }},
    {Part::kPool, 30, [](Worker& it, Context& context) { it.run_pool(context); }},
    {Part::kPoll, 60, [](Worker& it, Context&) { it.run_poll(); }},
    {Part::kElapsed, 15, [](Worker& it, Context&) { it.run_elapsed(); }},
    {Part::kSynchronize, 20, [](Worker& it, Context& context) { it.run_stream_synchronize(context); }},
    {Part::kSynchronize, 2, [](Worker& it, Context& context) { it.run_context_synchronize(context); }},
    {Part::kStreams, 6, [](Worker& it, Context& context) { it.run_new_stream(context); }},
    {Part::kMemory, 2, [](Worker& it, Context& context) { it.run_new_memory(context); }},
    {Part::kCapture, 10, [](Worker& it, Context& context) { it.run_capture(context); }},
    {Part::kGraphs, 70, [](Worker& it, Context& context) { it.run_graph(context); }},
};

uint32_t Worker::weight_of(const Operation& operation) {
    if (left_out(operation.part)) return 0;
    return favoured(operation.part) ? operation.weight * 20 : operation.weight;
}

void Worker::one_operation() {
    const size_t drawn = random_.below(static_cast<uint32_t>(world_.contexts.size()));
    Context& context = *world_.contexts[left_out(Part::kSecond) ? 0 : drawn];
    const InContext inside(context);
    draw(std::span<const Operation>(kOperations), random_, weight_of).run(*this, context);
}

StreamPtr Worker::pick_stream(Context& context) {
    for (int tries = 0; tries < 1000; ++tries)
        if (StreamPtr stream = any_stream(context); may_use(*stream)) return stream;
    return context.stream(random_);
}

StreamPtr Worker::any_stream(Context& context) {
    const Own& own = own_[&context];
    switch (random_.below(12)) {
        case 0:
        case 1: return context.legacy;
        case 2:
        case 3: return own.per_thread;
        case 4: return capturing_ ? context.stream(random_) : own.captured;
        case 5: return capturing_ ? context.stream(random_) : own.forked;
        default: return context.stream(random_);
    }
}

bool Worker::may_be_synchronous() const {
    return !capturing_ && !left_out(Part::kSynchronous) && !(left_out(Part::kLegacy) && left_out(Part::kPerThread));
}

StreamPtr Worker::synchronous_stream(Context& context) {
    const bool per_thread = left_out(Part::kLegacy) || (random_.once_in(2) && !left_out(Part::kPerThread));
    return per_thread ? own_[&context].per_thread : context.legacy;
}

const Api& Worker::default_api(const Stream& stream) {
    return stream.sort == Sort::kPerThread ? ::cuda::per_thread_api() : ::cuda::api();
}

Target Worker::target(const Stream& stream) {
    const Api& usual = ::cuda::api();
    const Api& per_thread = ::cuda::per_thread_api();
    const bool by_null = random_.once_in(2);
    switch (stream.sort) {
        case Sort::kLegacy: return by_null ? Target{usual, nullptr} : Target{per_thread, CU_STREAM_LEGACY};
        case Sort::kPerThread: return by_null ? Target{per_thread, nullptr} : Target{usual, CU_STREAM_PER_THREAD};
        default: return {by_null ? usual : per_thread, stream.handle};
    }
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

// Orders two streams by a value: `before` writes a number to a word, and `after` waits for that number, so later work
// in `after` runs behind all earlier work in `before`.
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

Worker::Turn Worker::next_turn(Context& context, std::vector<std::unique_ptr<Buffer>>& all) {
    Turn turn;
    turn.buffer = take(all, turn.lock);
    if (turn.buffer == nullptr) return turn;
    turn.stream = pick_stream(context);
    follow(turn.stream, *turn.buffer);
    return turn;
}

void Worker::follow(const StreamPtr& stream, Buffer& buffer) {
    if (!buffer.last_stream && !buffer.last) return;
    const StreamPtr& last = buffer.last_stream;
    if (last == stream && !random_.once_in(8)) return buffer.history.tie("its own stream");
    if (last && last->synchronizes_with(*stream) && !random_.once_in(4) && !left_out(Part::kImplicit)) {
        if (stream->created_at < buffer.history.last()) return buffer.history.tie("the legacy stream");
        if (!left_out(Part::kYoung))
            return buffer.history.tie("the legacy stream, whose work is older than this stream");
    }
    const bool may_use_last = last && (last->owner == nullptr || last->owner == this);
    if (may_use_last && last != stream && !capturing_ && last->context.value_operations &&
        stream->context.value_operations && random_.once_in(4) && !left_out(Part::kValues)) {
        wait_by_value(*last, *stream);
        if (buffer.last) dependencies_.push_back(buffer.last);
        return buffer.history.tie("a value operation");
    }
    const bool late = !buffer.last;
    const TrackerPtr tracker = last_access(buffer);
    dependencies_.push_back(tracker);
    if (!capturing_ && random_.once_in(12) && !left_out(Part::kHostWaits)) {
        Activity::set("waiting for a buffer's last access");
        const std::shared_lock unsafe(unsafe_calls());
        expect_success(api().cuEventSynchronize(tracker->event()), "cuEventSynchronize");
        return buffer.history.tie("the host's wait for an event", tracker->recorded());
    }
    const Target to = target(*stream);
    expect_success(to.api.cuStreamWaitEvent(to.handle, tracker->event(), CU_EVENT_WAIT_DEFAULT), "cuStreamWaitEvent");
    buffer.history.tie(late ? "an event, recorded for it" : "an event", tracker->recorded());
}

void Worker::note(const Stream& stream, const std::vector<Buffer*>& buffers, const char* what, const Manner& manner) {
    static constexpr const char* kSorts[] = {"the legacy", "its per-thread", "a blocking", "a non-blocking"};
    Submission submission;
    submission.what = what;
    submission.sort = kSorts[static_cast<size_t>(stream.sort)];
    submission.stream = stream.handle;
    submission.priority = stream.priority;
    submission.second_context = !stream.context.primary;
    submission.stream_created = stream.created_after;
    submission.worker = number_;
    submission.synchronous = manner.synchronous;
    submission.memory = manner.memory;
    submission.capturing = capturing_;
    submission.others_capture = capturing_workers().load() > (capturing_ ? 1 : 0);
    submission.number = next_submission();
    submission.operation = g_operations.load(std::memory_order_relaxed);
    for (Buffer* it : buffers) {
        submission.address = it->address;
        it->history.add(submission, it->model);
    }
}

std::atomic<int>& Worker::capturing_workers() {
    static std::atomic<int> it{0};
    return it;
}

void Worker::accessed(const StreamPtr& stream, const std::vector<Buffer*>& buffers, const char* what,
                      const Manner& manner, std::unique_ptr<HostMemory> host) {
    note(*stream, buffers, what, manner);
    if (host != nullptr && host->is_read()) host->remember(buffers.front()->history);
    if (manner.returned) {
        host->check_and_scribble(what, "its return");
        host.reset();
    }
    count_operation();
    TrackerPtr tracker;
    // If the stream belongs to this worker alone, an event is recorded now: other workers cannot record one there
    // later.
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
    pending_.add(tracker);
    if (!capturing_) pending_.limit();
}

}  // namespace order::cuda
