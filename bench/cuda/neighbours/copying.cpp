// Busy programs that copy.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "common.h"

namespace neighbours {
namespace {

// Copies in one direction, to the device or back, in a stream of its own, with `depth` copies in flight.
class Direction {
public:
    Direction(bool in, size_t bytes, unsigned depth, bool pinned)
        : in_(in), bytes_(bytes), events_(depth), memory_(allocate(bytes)), host_(host_memory(bytes, pinned)) {
        for (Handle& event : events_) event = make_event(false);
        for (size_t i = 0; i < bytes_ / 4; ++i) host_[i] = pattern(i, in_);
        copy_in(memory_, host_, bytes_, stream_);
        wait_stream(stream_);
    }
    // Waits until the oldest copy is complete if `depth` copies are in flight, and launches one more.
    void step(FILE* rows) {
        const Handle event = events_[issued_ % events_.size()];
        if (issued_++ >= events_.size()) {
            wait_event(event);
            note(rows, bytes_);
        }
        if (in_)
            copy_in(memory_, host_, bytes_, stream_);
        else
            copy_out(host_, memory_, bytes_, stream_);
        record(event, stream_);
    }
    bool ends_right() {
        wait_stream(stream_);
        memset(host_, 0, bytes_);
        copy_out(host_, memory_, bytes_, stream_);
        wait_stream(stream_);
        for (size_t i = 0; i < bytes_ / 4; ++i)
            if (host_[i] != pattern(i, in_)) return false;
        return true;
    }

private:
    const bool in_;
    const size_t bytes_;
    Handle stream_ = make_stream();
    std::vector<Handle> events_;
    Pointer memory_;
    uint32_t* host_;
    uint64_t issued_ = 0;
};

}  // namespace

int copier(const char* path, size_t bytes, unsigned depth, const char* ways, const char* memory) {
    FILE* rows = opened(path);
    std::vector<Direction> directions;
    for (const bool in : {true, false})
        if (strcmp(ways, "both") == 0 || strcmp(ways, in ? "in" : "out") == 0)
            directions.emplace_back(in, bytes, depth, strcmp(memory, "pinned") == 0);
    say_ready();
    while (input_open())
        for (Direction& direction : directions) direction.step(rows);
    fclose(rows);
    for (Direction& direction : directions)
        if (!direction.ends_right()) return fprintf(stderr, "neighbours: a copy has a wrong result\n"), 4;
    return 0;
}

// --- load: tensors from one pageable buffer, as from a file that is in memory
int load(const char* path, size_t bytes, size_t tensor) {
    FILE* rows = opened(path);
    const size_t source_words = std::max(tensor, size_t{1} << 30) / 4;
    uint32_t* const source = host_memory(source_words * 4, false);
    for (size_t i = 0; i < source_words; ++i) source[i] = pattern(i, 3);
    std::vector<uint32_t> seen(tensor / 4);
    say_ready();
    while (input_open()) {
        std::vector<Pointer> model;
        for (size_t done = 0; done < bytes && input_open(); done += tensor) {
            model.push_back(allocate(tensor));
            copy_in(model.back(), source + done / 4 % (source_words - tensor / 4 + 1), tensor, nullptr);
            note(rows, tensor);
        }
        wait_stream(nullptr);
        for (const size_t which : {size_t{0}, model.size() - 1}) {
            copy_out(seen.data(), model[which], tensor, nullptr);
            wait_stream(nullptr);
            const uint32_t* const right = source + which * tensor / 4 % (source_words - tensor / 4 + 1);
            if (memcmp(seen.data(), right, tensor) != 0) return fprintf(stderr, "neighbours: a wrong tensor\n"), 4;
        }
        for (const Pointer memory : model) release(memory);
    }
    return fclose(rows);
}

}  // namespace neighbours
