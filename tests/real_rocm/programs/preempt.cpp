// A program whose streams are suspended and resumed at preempt level 3, as fast as they get on, while they work. Needs
// the shim in the process, and XSCHED_SCHEDULER=app: no server decides.
//   preempt CODE TIMES STREAMS
//   TIMES     suspensions of each stream
// It says whether every kernel ran exactly once, how often a kernel ended on a suspended stream (at level 3 none does),
// and how often none ended within 5 s of being resumed. Exit status 0: every kernel ran once, and no stream got stuck.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "worker.h"

namespace {

using program::Worker;

// A stay off the device: mostly short; every 16th is longer than a kernel.
constexpr int kStayUs = 100, kLongStayUs = 2000, kLongEvery = 16;

struct Seen {
    int times = 0, ended_while_off = 0, stuck = 0;
};

Seen disturb(const Worker& worker, int times) {
    Seen seen;
    for (; seen.times < times && seen.stuck == 0 && worker.complaint().empty(); ++seen.times) {
        program::suspend(worker.queue());
        const uint64_t before = worker.ran();
        usleep(seen.times % kLongEvery == 0 ? kLongStayUs : kStayUs);
        seen.ended_while_off += worker.ran() != before ? 1 : 0;
        program::resume(worker.queue());
        seen.stuck += worker.gets_on(before) ? 0 : 1;
    }
    return seen;
}

int run(const char* code, int times, int streams) {
    const hipFunction_t spin = program::kernel(code);
    std::vector<std::unique_ptr<Worker>> workers;
    for (int i = 0; i < streams; ++i) workers.push_back(std::make_unique<Worker>(spin));
    std::mutex mutex;
    Seen all;
    std::vector<std::thread> threads;
    for (const auto& worker : workers)
        threads.emplace_back([&all, &mutex, &worker, times] {
            const Seen seen = disturb(*worker, times);
            const std::lock_guard lock(mutex);
            all.times += seen.times;
            all.ended_while_off += seen.ended_while_off;
            all.stuck += seen.stuck;
        });
    for (std::thread& thread : threads) thread.join();
    uint64_t ran = 0, launched = 0;
    for (const auto& worker : workers) {
        if (all.stuck == 0) worker->end();  // else it would not end
        if (!worker->complaint().empty()) std::printf("preempt: %s\n", worker->complaint().c_str());
        ran += worker->ran();
        launched += worker->launched();
    }
    std::printf("suspended %d times; %d with a kernel that ended meanwhile, %d stuck; kernels %lu of %lu\n", all.times,
                all.ended_while_off, all.stuck, ran, launched);
    std::fflush(stdout);
    if (all.stuck != 0) _exit(6);
    return ran == launched && all.times == times * streams ? 0 : 5;
}

}  // namespace

int main(int count, char** words) {
    if (count != 4) return 2;
    try {
        return run(words[1], std::atoi(words[2]), std::atoi(words[3]));
    } catch (const std::exception& error) {
        std::printf("preempt: %s\n", error.what());
        std::fflush(stdout);
        _exit(3);  // threads may be at work
    }
}
