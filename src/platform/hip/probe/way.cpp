// Preempt level 3 by one way of the kernel driver's (--way update, debug, preempt or mask), with nothing of XSched
// between: its calls are recorded and made here. (--way priority is no such way: a victim's queues get the lowest
// priority, and another program's bursts show what that is worth.) Tests whether a running kernel is taken off and goes
// on, how long that takes, whether the result is exact, and what the calls cost another program. By mask: how much
// slower the kernel goes on, and how much of the device that leaves another program.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "arguments.h"
#include "busy_device.h"
#include "calls.h"
#include "hip_trials.h"
#include "platform/hip/hal/kfd_control.h"
#include "probe/program.h"
#include "recorded_queues.h"

namespace xsched::probe {
namespace {

using busy::now_ns;

constexpr double kStoppedKernelMs = 20;
constexpr double kSuspendedMs = 60;
constexpr double kBetweenMs = 5;
constexpr int kMostTries = 5;

kfd::Way way_called(const std::string& name) {
    const kfd::Way way = kfd::way_of(name.c_str());
    if (way == kfd::Way::kNone)
        throw std::runtime_error("--way " + name + " is none: use update, debug, preempt, mask or priority");
    return way;
}

struct Stop {
    double stop_ms = 0, resume_ms = 0, went_on_ms = 0;
    bool stood = false;
    bool late = false;  // the kernel was over by then
};

// Starts a kernel that runs when this returns, as far as possible: on a busy machine this thread may come too late.
void start_kernel(busy::BusyDevice& device, vendor::Stream stream, uint32_t steps) {
    for (int i = 0; i < kMostTries; ++i) {
        device.finish();
        device.enqueue(steps);
        sleep_ms(kStoppedKernelMs / 4);
        if (vendor::query(stream) == vendor::kNotReady) return;
    }
}

// Suspends one kernel in its middle, for longer than the kernel takes.
Stop suspend_once(kfd::Way way, busy::BusyDevice& device, uint32_t steps) {
    const auto stream = static_cast<vendor::Stream>(device.queue());
    Stop round;
    start_kernel(device, stream, steps);
    Recorded& all = recorded();
    const std::lock_guard lock(all.mutex);
    const int64_t begin = now_ns();
    const int refused = kfd::suspend(way, next_ioctl, all.debugger, all.queues, all.count);
    const int64_t stopped = now_ns();
    if (refused != 0) throw refused;
    round.late = vendor::query(stream) != vendor::kNotReady;
    sleep_ms(kSuspendedMs);
    round.stood = vendor::query(stream) == vendor::kNotReady;
    const int64_t resuming = now_ns();
    const int failed = kfd::resume(way, next_ioctl, all.debugger, all.queues, all.count);
    const int64_t resumed = now_ns();
    if (failed != 0) throw failed;
    device.finish();
    round.stop_ms = ms_between(begin, stopped);
    round.resume_ms = ms_between(resuming, resumed);
    round.went_on_ms = ms_between(resumed, now_ns());
    return round;
}

// Suspends a kernel, and tries again if the suspension came late: then a kernel that did not stand still proves
// nothing.
Stop suspend_in_time(kfd::Way way, busy::BusyDevice& device, uint32_t steps) {
    Stop round;
    for (int i = 0; i < kMostTries; ++i) {
        round = suspend_once(way, device, steps);
        if (round.stood || !round.late) break;
    }
    return round;
}

Json summed_up(std::vector<Stop> rounds) {
    const auto median = [&](double Stop::* member) {
        std::sort(rounds.begin(), rounds.end(), [&](const Stop& a, const Stop& b) { return a.*member < b.*member; });
        return rounds[rounds.size() / 2].*member;
    };
    const auto stood = std::count_if(rounds.begin(), rounds.end(), [](const Stop& round) { return round.stood; });
    return {{"rounds", rounds.size()},
            {"stood", stood},
            {"stop_us", median(&Stop::stop_ms) * 1e3},
            {"resume_us", median(&Stop::resume_ms) * 1e3},
            {"went_on_ms", median(&Stop::went_on_ms)}};
}

// Returns the latencies of another program's bursts, measured while a thread of this process calls `round` in a loop.
// Throws if the other program or `round` fails.
template <typename Round>
Json urgent_found_beside(const Settings& settings, Round round) {
    std::atomic<bool> over{false};
    std::string threads_complaint;
    std::thread thread([&] {
        try {
            while (!over) round();
        } catch (const std::exception& error) {
            threads_complaint = error.what();
        }
    });
    Json found;
    std::string complaint;
    try {
        found = urgent_found(settings);
    } catch (const std::exception& error) {
        complaint = error.what();
    }
    over = true;
    thread.join();
    if (complaint.empty()) complaint = threads_complaint;
    if (!complaint.empty()) throw std::runtime_error(complaint);
    return found;
}

// Measures whether suspending and resuming disturbs another program: returns the latencies of its bursts, first with
// this process quiet, then while this process, which has no work, suspends and resumes its own queues.
Json other_program(kfd::Way way, const Settings& settings) {
    doing("running another program");
    const Json quiet = urgent_found(settings);
    doing("suspending and resuming queues beside another program");
    int stops = 0;
    const Json disturbed = urgent_found_beside(settings, [&] {
        Recorded& all = recorded();
        {
            const std::lock_guard lock(all.mutex);
            if (kfd::suspend(way, next_ioctl, all.debugger, all.queues, all.count) == 0)
                kfd::resume(way, next_ioctl, all.debugger, all.queues, all.count);
        }
        ++stops;
        sleep_ms(kBetweenMs);
    });
    return {{"stops", stops}, {"quiet", quiet}, {"disturbed", disturbed}};
}

// Slows one kernel: it runs on few compute units for a while, and then on all of them again.
Stop slow_once(busy::BusyDevice& device, uint32_t steps) {
    Stop round;
    start_kernel(device, static_cast<vendor::Stream>(device.queue()), steps);
    Recorded& all = recorded();
    const std::lock_guard lock(all.mutex);
    const int64_t begin = now_ns();
    const int refused = kfd::suspend(kfd::Way::kMask, next_ioctl, all.debugger, all.queues, all.count);
    const int64_t slowed = now_ns();
    if (refused != 0) throw refused;
    device.finish();
    device.enqueue(steps);
    const int64_t second = now_ns();
    device.finish();
    const int64_t resuming = now_ns();
    if (const int failed = kfd::resume(kfd::Way::kMask, next_ioctl, all.debugger, all.queues, all.count); failed != 0)
        throw failed;
    round.stop_ms = ms_between(begin, slowed);
    round.resume_ms = ms_between(resuming, now_ns());
    round.went_on_ms = ms_between(second, resuming);  // a whole kernel's time
    return round;
}

double kernel_ms(busy::BusyDevice& device, uint32_t steps) {
    device.finish();
    const int64_t begin = now_ns();
    device.enqueue(steps);
    device.finish();
    return ms_between(begin, now_ns());
}

// Returns the latencies of another program's bursts while this process keeps the device full.
Json beside_full_device(busy::BusyDevice& device, uint32_t steps, const Settings& settings) {
    return urgent_found_beside(settings, [&, attached = false]() mutable {
        if (!std::exchange(attached, true)) device.attach_thread();
        device.enqueue(steps);
        device.enqueue(steps);
        device.finish();
    });
}

Json alone_and_beside(busy::BusyDevice& device, uint32_t steps, const Settings& settings, const char* beside) {
    doing("running another program");
    Json found = {{"alone", urgent_found(settings)}};
    doing("running another program beside a full device");
    found[beside] = beside_full_device(device, steps, settings);
    return found;
}

void demand(int error) {
    if (error != 0) throw error;
}

Json beside_few_units(busy::BusyDevice& device, uint32_t steps, const Settings& settings) {
    Json found = alone_and_beside(device, steps, settings, "all_units");
    doing("running another program beside a victim on few compute units");
    Recorded& all = recorded();
    const std::lock_guard lock(all.mutex);
    demand(kfd::suspend(kfd::Way::kMask, next_ioctl, all.debugger, all.queues, all.count));
    found["few_units"] = beside_full_device(device, steps, settings);
    demand(kfd::resume(kfd::Way::kMask, next_ioctl, all.debugger, all.queues, all.count));
    return found;
}

void try_mask(busy::BusyDevice& device, uint32_t steps, const Settings& settings, Json& found) {
    const uint32_t few = few_asked() != 0 ? few_asked() : kfd::few_of_gpu(recorded().queues[0].gpu_id);
    const double whole_ms = kernel_ms(device, steps);
    doing("giving queues few compute units by SET_CU_MASK");
    std::vector<Stop> rounds;
    const int count = std::clamp(static_cast<int>(settings.seconds * 5), 2, 10);
    for (int i = 0; i < count; ++i) rounds.push_back(slow_once(device, steps));
    const Json summed = summed_up(rounds);
    found.update({{"rounds", count},
                  {"units", few},
                  {"stop_us", summed["stop_us"]},
                  {"resume_us", summed["resume_us"]},
                  {"kernel_ms", whole_ms},
                  {"slowed_kernel_ms", summed["went_on_ms"]},
                  {"times_slower", summed["went_on_ms"].get<double>() / whole_ms},
                  {"back_to_ms", kernel_ms(device, steps)}});
    found["beside"] = beside_few_units(device, steps, settings);
    doing("comparing the result");
    found["exact"] = device.state_is_right();
}

// Measures the hardware's own priorities: the victim's queues have the lowest one.
Json beside_low_priority(busy::BusyDevice& device, uint32_t steps, const Settings& settings) {
    Json found = alone_and_beside(device, steps, settings, "equal");
    doing("giving queues the lowest priority by UPDATE_QUEUE");
    Recorded& all = recorded();
    const std::lock_guard lock(all.mutex);
    kfd::Queue lowest[kfd::kMostQueues];
    std::copy_n(all.queues, all.count, lowest);
    for (unsigned i = 0; i < all.count; ++i) lowest[i].priority = 0;
    // Resumes the victim's queues by updating all of their properties, with the lowest priority: this way of resuming
    // needs all properties again.
    demand(kfd::resume(kfd::Way::kUpdate, next_ioctl, all.debugger, lowest, all.count));
    doing("running another program beside a victim with the lowest priority");
    found["lowest"] = beside_full_device(device, steps, settings);
    demand(kfd::resume(kfd::Way::kUpdate, next_ioctl, all.debugger, all.queues, all.count));
    return found;
}

Json try_priority(busy::BusyDevice& device, uint32_t steps, const Settings& settings) {
    Json found = {{"way", settings.way}, {"queues", recorded().count}, {"errno", 0}};
    try {
        found["beside"] = beside_low_priority(device, steps, settings);
    } catch (const int error) {
        found["errno"] = error;
        found["error"] = strerror(error);
    }
    doing("comparing the result");
    found["exact"] = device.state_is_right();
    return found;
}

}  // namespace

Json try_way(const Settings& settings) {
    const bool priority = settings.way == "priority";
    const kfd::Way way = priority ? kfd::Way::kNone : way_called(settings.way);
    doing("running the first kernel");
    busy::BusyDevice device("own");
    const auto steps = static_cast<uint32_t>(settings.steps_per_ms * kStoppedKernelMs);
    Json found = {{"way", settings.way}, {"queues", recorded().count}};
    if (recorded().count == 0) throw std::runtime_error("no queue of the kernel driver was seen being made");
    if (priority) return try_priority(device, steps, settings);
    std::vector<Stop> rounds;
    try {
        if (way == kfd::Way::kMask) {
            found["errno"] = 0;
            try_mask(device, steps, settings, found);
            return found;
        }
        doing((std::string("suspending queues by ") + kfd::name_of(way)).c_str());
        const int count = std::clamp(static_cast<int>(settings.seconds * 5), 2, 20);
        for (int i = 0; i < count; ++i) rounds.push_back(suspend_in_time(way, device, steps));
    } catch (const int error) {
        found["errno"] = error;
        found["error"] = strerror(error);
        return found;
    }
    found.update(summed_up(rounds));
    found["errno"] = 0;
    doing("comparing the result");
    found["exact"] = device.state_is_right();
    found["other_program"] = other_program(way, settings);
    return found;
}

}  // namespace xsched::probe
