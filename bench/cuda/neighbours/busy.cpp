// Busy programs that compute: many streams, graphs, allocations.
#include <cstring>
#include <vector>

#include "common.h"

namespace neighbours {
namespace {

// Keeps `depth` pieces of work in flight in each stream: waits for the oldest before the next one is launched.
class Ring {
public:
    explicit Ring(unsigned depth) : events_(depth) {
        for (Handle& event : events_) event = make_event(false);
    }
    void next(FILE* rows, size_t amount) {
        if (issued_++ < events_.size()) return;
        wait_event(events_[(issued_ - 1) % events_.size()]);
        note(rows, amount);
    }
    void launched(Handle stream) { record(events_[(issued_ - 1) % events_.size()], stream); }

private:
    std::vector<Handle> events_;
    uint64_t issued_ = 0;
};

// Numbers in device memory, one per thread, which kernels step again and again, and the check of the result.
class Words {
public:
    Words() { memset(host_, 0, kBurstWords * 4), copy_in(words_, host_, kBurstWords * 4, nullptr); }
    void launch(uint32_t steps, Handle stream) const { launch_steps(words_, kBurstWords, steps, stream); }
    bool right(uint64_t steps) const {
        copy_out(host_, words_, kBurstWords * 4, nullptr);
        wait_stream(nullptr);
        return host_[kBurstWords - 1] == stepped(0, steps);
    }

private:
    Pointer words_ = allocate(kBurstWords * 4);
    uint32_t* host_ = host_memory(kBurstWords * 4, false);
};

int ended(FILE* rows, bool right) {
    if (!right) fprintf(stderr, "neighbours: a kernel was lost, repeated or run out of order\n");
    return fclose(rows) != 0 || !right ? 4 : 0;
}

}  // namespace

int queues(const char* path, unsigned count, unsigned depth, uint32_t steps) {
    FILE* rows = opened(path);
    const std::vector<Words> words(count);
    std::vector<Ring> rings(count, Ring(depth));
    std::vector<Handle> streams(count);
    for (Handle& stream : streams) stream = make_stream();
    wait_stream(nullptr);
    uint64_t launched = 0;
    say_ready();
    for (; input_open(); ++launched)
        for (unsigned i = 0; i < count; ++i) {
            rings[i].next(rows, 1);
            words[i].launch(steps, streams[i]);
            rings[i].launched(streams[i]);
        }
    bool right = true;
    for (unsigned i = 0; i < count; ++i) {
        wait_stream(streams[i]);
        right = words[i].right(launched * steps) && right;
    }
    return ended(rows, right);
}

int graphs(const char* path, unsigned kernels, uint32_t steps) {
    FILE* rows = opened(path);
    const Words words;
    wait_stream(nullptr);
    const Handle stream = make_stream();
    begin_capture(stream);
    for (unsigned i = 0; i < kernels; ++i) words.launch(steps, stream);
    const Handle graph = end_capture(stream);
    Ring ring(2);
    uint64_t launched = 0;
    say_ready();
    for (; input_open(); ++launched) {
        ring.next(rows, kernels);
        launch_graph(graph, stream);
        ring.launched(stream);
    }
    wait_stream(stream);
    return ended(rows, words.right(launched * kernels * steps));
}

int memory(const char* path, size_t bytes, uint32_t steps) {
    FILE* rows = opened(path);
    const Handle stream = make_stream();
    say_ready();
    while (input_open()) {
        const Pointer words = allocate(bytes);
        launch_steps(words, bytes / 4 / 256 * 256, steps, stream);
        wait_stream(stream);
        release(words);
        note(rows, 1);
    }
    return ended(rows, true);
}

}  // namespace neighbours
