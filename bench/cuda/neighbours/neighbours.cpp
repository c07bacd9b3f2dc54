// What copies do to an urgent program, and it to them. One program, three roles:
//
//   copies urgent OUT BURSTS PERIOD_MS STEPS       bursts of 1 MiB to the device, 20 kernels, 1 MiB back; STEPS 0:
//   print
//                                                  the steps of a kernel of 7 us and leave
//   copies copier OUT BYTES DEPTH WAYS MEMORY      copies without end; WAYS in, out or both; MEMORY pinned or pageable
//   copies load OUT BYTES TENSOR                   a model of so many bytes in pageable tensors, again and again
//
// It says "ready" once the work goes on, and ends (but for urgent) with its standard input. OUT gets a line for each
// burst (start, latency, of which the copy in; ns) or copy (completion in ns, bytes). Exit status 4: a result is wrong.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "device.h"

using namespace copies;

namespace {

constexpr size_t kBurstWords = 256 * 1024;
constexpr uint32_t kKernels = 20;
constexpr double kKernelUs = 7;

uint32_t pattern(uint64_t index, uint32_t seed) {
    return static_cast<uint32_t>((index + seed) * 2654435761U ^ (index >> 7));
}

void say_ready() {
    puts("ready");
    fflush(stdout);
}

bool input_open() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (poll(&input, 1, 0) <= 0) return true;
    char byte = 0;
    return read(STDIN_FILENO, &byte, 1) > 0;
}

FILE* opened(const char* path) {
    FILE* file = fopen(path, "w");
    if (file == nullptr) perror(path), exit(2);
    return file;
}

void sleep_until(int64_t ns) {
    const timespec time{ns / 1'000'000'000, ns % 1'000'000'000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
}

// --- urgent
struct Urgent {
    Handle stream = make_stream();
    Handle began = make_event(true);
    Handle copied = make_event(true);
    Pointer words = allocate(kBurstWords * 4);
    uint32_t* in = host_memory(kBurstWords * 4, true);
    uint32_t* out = host_memory(kBurstWords * 4, true);

    void kernels(uint32_t count, uint32_t steps) const {
        for (uint32_t i = 0; i < count; ++i) launch_steps(words, kBurstWords, steps, stream);
    }
    uint32_t calibrated() const {
        double steps = 1000;
        for (int round = 0; round < 8; ++round) {
            kernels(3, static_cast<uint32_t>(steps));
            record(began, stream);
            kernels(500, static_cast<uint32_t>(steps));
            record(copied, stream);
            wait_stream(stream);
            steps = std::max(1.0, steps * std::clamp(kKernelUs * 500 / elapsed_us(began, copied), 0.05, 20.0));
        }
        return static_cast<uint32_t>(steps);
    }
    void burst(uint32_t steps) const {
        record(began, stream);
        copy_in(words, in, kBurstWords * 4, stream);
        record(copied, stream);
        kernels(kKernels, steps);
        copy_out(out, words, kBurstWords * 4, stream);
        wait_stream(stream);
    }
    bool right(uint32_t steps) const {
        for (size_t i = 0; i < kBurstWords; i += 997)
            if (out[i] != stepped(in[i], uint64_t{steps} * kKernels)) return false;
        return true;
    }
};

int urgent(const char* path, long bursts, double period_ms, uint32_t steps) {
    const Urgent work;
    if (steps == 0) {
        printf("%u\n", work.calibrated());
        return 0;
    }
    FILE* rows = opened(path);
    say_ready();
    int64_t next = now_ns();
    for (long i = 0; i < bursts; ++i) {
        for (size_t k = 0; k < kBurstWords; k += 997) work.in[k] = pattern(k, static_cast<uint32_t>(i));
        sleep_until(next += static_cast<int64_t>(period_ms * 1e6));
        next = std::max(next, now_ns());
        const int64_t began = now_ns();
        work.burst(steps);
        const int64_t ns = now_ns() - began;
        const auto in_ns = static_cast<long long>(elapsed_us(work.began, work.copied) * 1000);
        fprintf(rows, "%lld %lld %lld\n", static_cast<long long>(began), static_cast<long long>(ns), in_ns);
        if (!work.right(steps)) return fprintf(stderr, "copies: burst %ld has a wrong result\n", i), 4;
    }
    return fclose(rows);
}

// --- copier
void note(FILE* rows, size_t bytes) { fprintf(rows, "%lld %zu\n", static_cast<long long>(now_ns()), bytes); }

// One direction, in a stream of its own.
class Direction {
public:
    Direction(bool in, size_t bytes, unsigned depth, bool pinned)
        : in_(in), bytes_(bytes), events_(depth), memory_(allocate(bytes)), host_(host_memory(bytes, pinned)) {
        for (Handle& event : events_) event = make_event(false);
        for (size_t i = 0; i < bytes_ / 4; ++i) host_[i] = pattern(i, in_);
        copy_in(memory_, host_, bytes_, stream_);
        wait_stream(stream_);
    }
    // One more, once the oldest of those that may be in flight is complete.
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

int copier(const char* path, size_t bytes, unsigned depth, const std::string& ways, const std::string& memory) {
    FILE* rows = opened(path);
    std::vector<Direction> directions;
    for (const bool in : {true, false})
        if (ways == "both" || ways == (in ? "in" : "out"))
            directions.emplace_back(in, bytes, depth, memory == "pinned");
    say_ready();
    while (input_open())
        for (Direction& direction : directions) direction.step(rows);
    fclose(rows);
    for (Direction& direction : directions)
        if (!direction.ends_right()) return fprintf(stderr, "copies: a copy has a wrong result\n"), 4;
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
            if (memcmp(seen.data(), right, tensor) != 0) return fprintf(stderr, "copies: a wrong tensor\n"), 4;
        }
        for (const Pointer memory : model) release(memory);
    }
    return fclose(rows);
}

size_t number(const char* text) { return strtoull(text, nullptr, 10); }

}  // namespace

int main(int count, char** values) {
    const std::string role = count > 1 ? values[1] : "";
    if (role == "urgent" && count == 6) {
        open_device();
        return urgent(values[2], atol(values[3]), atof(values[4]), static_cast<uint32_t>(number(values[5])));
    }
    if (role == "copier" && count == 7) {
        open_device();
        return copier(values[2], number(values[3]), static_cast<unsigned>(number(values[4])), values[5], values[6]);
    }
    if (role == "load" && count == 5) {
        open_device();
        return load(values[2], number(values[3]), number(values[4]));
    }
    fprintf(stderr, "usage: see the head of bench/cuda/copies/copies.cpp\n");
    return 2;
}
