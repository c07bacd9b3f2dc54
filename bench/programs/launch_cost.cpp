// The cost of calls of an accelerator's driver on the host, one kind after the other, in batches that the device never
// has to hold up. The calls are those of a Calls (each platform has a header launch_calls.h with that class). An
// ordinary program: run it with and without XSched.
//
//   launch_cost --out FILE   one line per batch and kind: number of the kind, picoseconds per call
//
// Kinds: 0 empty kernel on the NULL stream, 1 on a stream of its own, 2 event record, 3 synchronize an idle stream,
// 4 asynchronous memset of 4 bytes, 5 empty kernel on another of four streams, 6 a stream waits for an event that is
// complete, 7 query of that event, 8 query of an idle stream.
#include <cstdio>
#include <exception>
#include <functional>

#include "arguments.h"
#include "launch_calls.h"

namespace {

constexpr int kBatch = 256;
constexpr int kWarmUpBatches = 10;

int64_t batch(const std::function<void()>& call) {
    const int64_t begin = busy::now_ns();
    for (int i = 0; i < kBatch; ++i) call();
    return (busy::now_ns() - begin) * 1000 / kBatch;
}

int run(const busy::Arguments& arguments) {
    busy::Calls calls;
    const std::function<void()> kinds[] = {
        [&] { calls.launch(nullptr); }, [&] { calls.launch(calls.own()); },
        [&] { calls.record(); },        [&] { calls.synchronize(calls.own()); },
        [&] { calls.set(); },           [&] { calls.launch(calls.next()); },
        [&] { calls.wait(); },          [&] { calls.query_event(); },
        [&] { calls.query(); },
    };
    busy::Rows rows;
    const int64_t end = busy::now_ns() + static_cast<int64_t>(arguments.seconds * 1e9);
    // At least one batch after the warm-up is measured, however slow the machine is.
    for (int number = 0; number <= kWarmUpBatches || busy::now_ns() < end; ++number) {
        for (size_t kind = 0; kind < std::size(kinds); ++kind) {
            const int64_t cost = batch(kinds[kind]);
            calls.synchronize_all();
            if (number >= kWarmUpBatches) rows.push_back({static_cast<int64_t>(kind), cost});
        }
    }
    printf("ready\n");
    fflush(stdout);
    busy::write_rows(arguments.out, rows);
    return 0;
}

}  // namespace

int main(int argc, char** argv) { return busy::run_program("launch_cost", argc, argv, run); }
