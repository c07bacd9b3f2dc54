// A run of the checker: workers on a world, chaos beside them, and the verdict. Each platform says by a struct what
// they are. The struct derives from Types, which has what a platform need not say:
//   World, Signaller, Chaos, Worker     as their headers say; Chaos::available()
//   kKind                               what a device is called in the report
//   begin(world, options), end()        what else runs beside the workers
//   finish(world, options)              after the workers: what must hold while the world is there
//   check(options)                      and once it is gone
//   more()                              what else the report says
#pragma once

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "order/core/options.h"
#include "order/core/report.h"

namespace order {

// The classes of one platform's checker, under common names. The platform's struct for Run derives from it.
template <typename WorldType, typename SignallerType, typename ChaosType, typename WorkerType>
struct Types {
    using World = WorldType;
    using Signaller = SignallerType;
    using Chaos = ChaosType;
    using Worker = WorkerType;

    void begin(World&, const Options&) const {}
    void end() const {}
    void finish(World&, const Options&) const {}
    void check(const Options&) const {}
    std::string more() const { return ""; }
};

template <typename Platform>
class Run {
public:
    explicit Run(const Options& options) : options_(options) {}

    // The exit status.
    int run() {
        if (options_.chaos && !Chaos::available()) return 2;
        const Activity activity("main");
        auto world = std::make_unique<World>(options_);
        start_watchdog(options_.stall_seconds);
        Platform platform;
        platform.begin(*world, options_);
        int64_t suspensions = 0;
        {
            std::unique_ptr<Chaos> chaos;
            if (options_.chaos) chaos = std::make_unique<Chaos>(*world, options_.seed);
            run_workers(*world);
            if (chaos) suspensions = chaos->suspensions();
            platform.end();
        }
        const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
        const int64_t operations = g_operations.load();
        Activity::set("checking the buffers");
        world->check_buffers();
        platform.finish(*world, options_);
        const std::string name = world->name;
        world.reset();
        platform.check(options_);
        if (options_.chaos && suspensions == 0) violation("no XQueue was ever found to suspend");
        std::printf("%s %s, %d threads, %.1f s, %lld suspensions%s\n", Platform::kKind, name.c_str(), options_.threads,
                    seconds, static_cast<long long>(suspensions), platform.more().c_str());
        std::printf("operations %lld, violations %lld, seed %llu\n", static_cast<long long>(operations),
                    static_cast<long long>(violations()), static_cast<unsigned long long>(options_.seed));
        return violations() == 0 ? 0 : 1;
    }

private:
    using Clock = std::chrono::steady_clock;
    using World = typename Platform::World;
    using Signaller = typename Platform::Signaller;
    using Chaos = typename Platform::Chaos;
    using Worker = typename Platform::Worker;

    void run_workers(World& world) {
        Signaller signaller(options_.seed);
        std::vector<std::thread> threads;
        for (int i = 0; i < options_.threads; ++i) threads.emplace_back([&, i] { work(world, signaller, i); });
        for (std::thread& it : threads) it.join();
    }
    void work(World& world, Signaller& signaller, int index) {
        const std::string name = "worker " + std::to_string(index);
        const Activity activity(name.c_str());
        Worker worker(world, signaller, options_, index);
        const auto most = std::chrono::milliseconds(static_cast<int64_t>(options_.seconds * 1000));
        while (g_operations.load(std::memory_order_relaxed) < options_.operations) {
            if (options_.seconds > 0 && Clock::now() > began_ + most) break;
            worker.one_operation();
        }
        worker.settle_all();
    }

    const Options& options_;
    const Clock::time_point began_ = Clock::now();
};

// Runs the checker with this command line, and returns the program's exit status.
template <typename Platform>
int run_checker(int argc, char** argv) {
    Options options;
    return parse_options(argc, argv, options) ? Run<Platform>(options).run() : 2;
}

}  // namespace order
