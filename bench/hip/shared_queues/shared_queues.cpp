// An urgent stream beside a busy one in one process that has made more streams than it uses, as PyTorch does: how long
// the urgent one's bursts take. AMD's runtime gives each stream a hardware queue when it is made, so that the two may
// get the same. An ordinary program but for its two priorities, which it sets through XSched's C interface where that
// is loaded; runners start it with the shim preloaded.
//
//   shared_queues MADE WHICH BURSTS LEVEL   streams made; the busy one's number, from 1, the first is the urgent one's,
//                                           0: none is busy; LEVEL: both queues' preempt level, 0: as it comes
//
// Prints the bursts' p50 and p99 in milliseconds, and the median time of a busy stream's round of kernels. Exit status
// 1 if the driver fails.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "stream_work.h"

namespace {

using namespace busy;

constexpr int kBurstKernels = 14, kRoundKernels = 40;
constexpr double kShortMs = 0.1, kLongMs = 1;
// A burst may come at any moment of the long kernel that runs: after a pause of one length it would always be the same.
constexpr int kLeastPauseUs = 14000, kMostPauseUs = 18000;

int run(int made, int which, int bursts, int level) {
    vendor::use_device();
    std::vector<vendor::Stream> streams;
    for (int i = 0; i < made; ++i) streams.push_back(vendor::make_stream());
    StreamWork urgent(streams.at(0));
    const uint32_t short_steps = urgent.steps_for(kShortMs), long_steps = urgent.steps_for(kLongMs);
    set_queue(streams.at(0), 10, level);
    std::atomic<bool> stop{false}, busy_now{which == 0};
    std::vector<double> rounds, latencies;
    std::thread low([&] {
        if (which == 0) return;
        vendor::use_device();
        StreamWork work(streams.at(static_cast<size_t>(which - 1)));
        work.run(1, 1);
        set_queue(streams.at(static_cast<size_t>(which - 1)), 0, level);
        for (int round = 0; !stop; ++round) {
            rounds.push_back(work.run(kRoundKernels, long_steps));
            busy_now = true;
        }
    });
    while (!busy_now) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::minstd_rand random;
    std::uniform_int_distribution<int> pause_us(kLeastPauseUs, kMostPauseUs);
    for (int i = 0; i < bursts; ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds(pause_us(random)));
        latencies.push_back(urgent.run(kBurstKernels, short_steps));
    }
    stop = true;
    low.join();
    printf("%.3f %.3f %.3f\n", quantile(latencies, 0.5), quantile(latencies, 0.99), quantile(rounds, 0.5));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 5) throw std::runtime_error("usage: shared_queues MADE WHICH BURSTS LEVEL");
        return run(std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[3]), std::atoi(argv[4]));
    } catch (const std::exception& error) {
        fprintf(stderr, "shared_queues: %s\n", error.what());
        return 1;
    }
}
