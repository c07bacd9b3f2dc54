// One queue stopped and started again while it is full: how soon it stops, whether the kernel that runs is taken off,
// how soon it goes on, and whether the result is exact.
#include "probe/suspension.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "own_queue.h"
#include "watcher.h"

namespace xsched::probe {
namespace {

using busy::now_ns;

constexpr double kSuspendedKernelMs = 15;
constexpr size_t kSuspendedDepth = 3;
constexpr double kHoldMs = 100;  // at least
constexpr double kHoldKernels = 7;  // a suspension lasts at least this many kernels' time: more kernels than are in
                                    // flight
constexpr double kMostHoldMs = 1000;
constexpr double kPauseMs = 35;
constexpr double kIntoKernelMs = 2;  // how long after the start of a kernel the queue is suspended
constexpr double kSlackMs = 4;  // how long a call that takes a kernel off may take; above, the kernel is judged not to
                                // have been taken off

struct Round {
    int64_t begin, called, resumed;
};

struct Disturber {
    std::vector<Round> rounds;
    std::string complaint;
    std::atomic<bool> over{false};

    void run(const Stopping& stopping, busy::Watcher& watcher) {
        try {
            for (int i = 0; i < stopping.rounds; ++i) {
                sleep_ms(kPauseMs);
                const double kernel_ms = wait_for_a_kernel(watcher);
                const int64_t begin = now_ns();
                stopping.stop();
                const int64_t called = now_ns();
                sleep_ms(std::clamp(kHoldKernels * kernel_ms, kHoldMs, kMostHoldMs));
                rounds.push_back({begin, called, now_ns()});
                stopping.start();
            }
            sleep_ms(kPauseMs);
        } catch (const std::exception& error) {
            complaint = error.what();
        }
        over = true;
    }

private:
    // Waits until a kernel has just begun. Returns how long the one before it took.
    static double wait_for_a_kernel(busy::Watcher& watcher) {
        const int64_t first = wait_for_the_next(watcher);
        const double kernel_ms = ms_between(first, wait_for_the_next(watcher));
        sleep_ms(kIntoKernelMs);
        return kernel_ms;
    }
    static int64_t wait_for_the_next(busy::Watcher& watcher) {
        const size_t before = watcher.count();
        const int64_t begin = now_ns();
        while (watcher.count() == before && ms_between(begin, now_ns()) < kMostHoldMs) sleep_ms(0.2);
        return now_ns();
    }
};

Json summed_up(const std::vector<Round>& rounds, const busy::Rows& kernels, const Stopping& stopping) {
    std::vector<double> call_us, resume_ms;
    double stop_ms = 0;
    int most_after = 0, least_after = 1000, completing = 0;
    bool stands = true;
    for (const Round& round : rounds) {
        call_us.push_back(ms_between(round.begin, round.called) * 1e3);
        int after = 0;
        for (const auto& kernel : kernels) {
            const double ms = ms_between(round.begin, kernel[0]);
            if (ms < 0) continue;
            if (kernel[0] >= round.resumed) {
                resume_ms.push_back(ms_between(round.resumed, kernel[0]));
                break;
            }
            if (ms > kSlackMs) ++after;
            stop_ms = std::max(stop_ms, ms);
            // The queue counts as stopped if no more commands completed under the suspension than were in flight
            // before it. The length of the commands does not matter.
            stands = stands && after <= static_cast<int>(stopping.depth);
        }
        completing += after > 0 ? 1 : 0;
        most_after = std::max(most_after, after);
        least_after = std::min(least_after, after);
    }
    return {{"rounds", rounds.size()},
            {"call_us", median(call_us)},
            {"stop_ms", stop_ms},
            {"resume_ms", median(resume_ms)},
            {"completed_after", most_after},
            {"rounds_completing", completing},
            {"least_completed_after", least_after},
            {"stands", stands},
            {"kernel_ms", stopping.kernel_ms}};
}

}  // namespace

Json stop_in_rounds(busy::BusyDevice& device, const Stopping& stopping) {
    Disturber disturber;
    busy::Rows kernels;
    doing("stopping and starting a full queue");
    {
        busy::Watcher watcher(device, stopping.depth);
        std::thread thread([&] { disturber.run(stopping, watcher); });
        while (!disturber.over) {
            watcher.make_room();
            busy::BusyDevice::Event event{};
            device.enqueue(stopping.steps, &event);
            watcher.add(event);
        }
        thread.join();
        kernels = watcher.finish();
    }
    if (!disturber.complaint.empty()) throw std::runtime_error(disturber.complaint);
    doing("comparing the result");
    Json found = summed_up(disturber.rounds, kernels, stopping);
    found["exact"] = device.state_is_right();
    return found;
}

uint32_t steps_for(busy::BusyDevice& device, double kernel_ms, const Settings& settings) {
    return settings.steps_per_ms > 0 ? static_cast<uint32_t>(settings.steps_per_ms * kernel_ms)
                                     : device.calibrate(kernel_ms);
}

// Suspends and resumes the queue through XSched's C interface. Needs the shim in the process.
Json try_suspension(const Settings& settings) {
    doing("running the first kernel under the shim");
    busy::BusyDevice device("");  // the process's only queue, because HIP's level 3 suspends whole processes
    const uint32_t steps = steps_for(device, kSuspendedKernelMs, settings);
    busy::OwnQueue own(device.queue());
    const int rounds = std::clamp(static_cast<int>(settings.seconds * 4), 2, 20);
    return stop_in_rounds(
        device, {steps, kSuspendedKernelMs, kSuspendedDepth, rounds, [&] { own.suspend(); }, [&] { own.resume(); }});
}

}  // namespace xsched::probe
