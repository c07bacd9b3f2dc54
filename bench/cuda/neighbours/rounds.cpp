// A busy program whose streams lie in several contexts, which the hardware keeps apart from one another: ordinary ones,
// or green ones, each with a part of the device's multiprocessors.
#include <vector>

#include "common.h"

namespace neighbours {
namespace {

constexpr size_t kWords = size_t{16} * 1024;  // one kernel's: a part of the device does

struct Lane {
    Context context;
    Handle stream = nullptr;
    Pointer words = 0;
};

std::vector<Lane> make_lanes(const std::vector<Context>& contexts, unsigned streams) {
    std::vector<Lane> lanes;
    for (const Context& context : contexts) {
        use(context);
        for (unsigned i = 0; i < streams; ++i) {
            Lane lane{.context = context, .stream = make_stream_in(context), .words = allocate(kWords * 4)};
            fill_zero(lane.words, kWords * 4);
            lanes.push_back(lane);
        }
        wait_stream(nullptr);  // for the zeroes
    }
    return lanes;
}

bool right(const Lane& lane, uint64_t steps) {
    uint32_t word = 0;
    use(lane.context);
    copy_out(&word, lane.words + (kWords - 1) * 4, 4, lane.stream);
    wait_stream(lane.stream);
    return word == stepped(0, steps);
}

}  // namespace

int rounds(const char* path, const char* kind, unsigned count, unsigned streams, uint32_t steps) {
    FILE* rows = opened(path);
    const bool green = kind[0] == 'g';
    const std::vector<Lane> lanes = make_lanes(green ? make_green_contexts(count) : make_contexts(count), streams);
    uint64_t done = 0;
    say_ready();
    for (; input_open(); ++done) {
        for (const Lane& lane : lanes) {
            use(lane.context);
            launch_steps(lane.words, kWords, steps, lane.stream, lane.context.kernel);
        }
        for (const Lane& lane : lanes) {
            use(lane.context);
            wait_stream(lane.stream);
        }
        note(rows, 1);
    }
    bool all_right = true;
    for (const Lane& lane : lanes) all_right = right(lane, done * steps) && all_right;
    if (!all_right) fprintf(stderr, "neighbours: a kernel was lost, repeated or run out of order\n");
    return fclose(rows) != 0 || !all_right ? 4 : 0;
}

}  // namespace neighbours
