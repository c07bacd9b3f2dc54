// Programs that share a device in every way that programs do. Urgent ones, in bursts of kernels of 7 us:
//
//   neighbours copying OUT BURSTS PERIOD_MS STEPS      1 MiB to the device, 20 kernels, 1 MiB back; STEPS 0: prints the
//                                                      steps of a kernel of 7 us, and leaves
//   neighbours kernels OUT BURSTS PERIOD_MS STEPS      100 kernels, then a synchronize
//   neighbours steps OUT BURSTS PERIOD_MS STEPS        20 times 5 kernels and a synchronize
//   neighbours host OUT BURSTS PERIOD_MS STEPS         100 kernels, after each 60 us of the host's work
//   neighbours allocating OUT BURSTS PERIOD_MS STEPS   four times an allocation, 5 kernels in it, and its release
//   neighbours setup OUT BURSTS PERIOD_MS STEPS        pinned memory, a module, 6 kernels of it and a synchronize, and
//                                                      both are given back
//   neighbours streams OUT BURSTS PERIOD_MS STEPS      40 kernels in four streams, an event and a wait after each
//
// PERIOD_MS, from begin to begin, may be two numbers: 12-18 is at random between them. And busy ones, without end:
//
//   neighbours copier OUT BYTES DEPTH WAYS MEMORY      copies; WAYS in, out or both; MEMORY pinned or pageable
//   neighbours load OUT BYTES TENSOR                   a model of so many bytes in pageable tensors, again and again
//   neighbours queues OUT STREAMS DEPTH STEPS          kernels in so many streams
//   neighbours graphs OUT KERNELS STEPS                graphs of so many kernels
//   neighbours rounds OUT KIND CONTEXTS STREAMS STEPS  a kernel in each stream of each of so many contexts, then a wait
//                                                      for all; KIND contexts or green
//   neighbours memory OUT BYTES STEPS                  allocations of so many bytes, a kernel in each, and releases
//
// It says "ready" once the work goes on, and the busy ones end with their standard input. OUT gets a line for each
// burst (start, latency, of which copy in, kernels; ns; of `steps` also each round; of allocating ones also the first
// allocation, the others, the first one's kernels, the others', the first release, the others; of `setup` its five
// parts in order) or each piece of work (completion in ns, bytes or kernels). No burst is left out. Exit status 4: a
// result is wrong.
#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <string>

#include "common.h"

namespace neighbours {

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

void note(FILE* rows, size_t amount) { fprintf(rows, "%lld %zu\n", static_cast<long long>(now_ns()), amount); }

namespace {

size_t number(const char* text) { return strtoull(text, nullptr, 10); }

// "10": always so long; "12-18": between the two.
Period period(const char* text) {
    char* rest = nullptr;
    const double least_ms = strtod(text, &rest);
    return {least_ms, *rest == '-' ? atof(rest + 1) : least_ms};
}

uint32_t small(const char* text) { return static_cast<uint32_t>(number(text)); }

// Runs the program of this role. Returns -1 if there is no such role, or if the arguments do not fit it.
int run(const std::string& role, int count, char** values) {
    if (is_urgent(role.c_str()) && count == 4)
        return urgent(role.c_str(), values[0], atol(values[1]), period(values[2]), small(values[3]));
    if (role == "copier" && count == 5)
        return copier(values[0], number(values[1]), small(values[2]), values[3], values[4]);
    if (role == "load" && count == 3) return load(values[0], number(values[1]), number(values[2]));
    if (role == "queues" && count == 4) return queues(values[0], small(values[1]), small(values[2]), small(values[3]));
    if (role == "graphs" && count == 3) return graphs(values[0], small(values[1]), small(values[2]));
    if (role == "rounds" && count == 5)
        return rounds(values[0], values[1], small(values[2]), small(values[3]), small(values[4]));
    if (role == "memory" && count == 3) return memory(values[0], number(values[1]), small(values[2]));
    return -1;
}

}  // namespace
}  // namespace neighbours

int main(int count, char** values) {
    if (count > 2) {
        neighbours::open_device();
        const int status = neighbours::run(values[1], count - 2, values + 2);
        if (status >= 0) return status;
    }
    fprintf(stderr, "usage: see the head of bench/cuda/neighbours/neighbours.cpp\n");
    return 2;
}
