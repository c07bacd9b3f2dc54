// Does every command run in an order that OpenCL allows, whatever sits between the program and the driver?
// See README.md.
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "order/chaos.h"
#include "order/dropper.h"
#include "order/options.h"
#include "order/report.h"
#include "order/signaller.h"
#include "order/worker.h"
#include "order/world.h"

namespace order {
namespace {

using Clock = std::chrono::steady_clock;

// Waits a bounded time for something that other threads bring about.
bool eventually(const std::function<bool()>& condition) {
    for (int i = 0; i < 2000; ++i) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return condition();
}

void work(World& world, Signaller& signaller, const Options& options, int index, Clock::time_point end) {
    const std::string name = "worker " + std::to_string(index);
    const Activity activity(name.c_str());
    Worker worker(world, signaller, options.seed * 1000 + static_cast<uint64_t>(index), options.gate_every);
    while (g_operations.load(std::memory_order_relaxed) < options.operations) {
        if (options.seconds > 0 && Clock::now() > end) break;
        worker.one_operation();
    }
    worker.settle_all();
}

void run_workers(World& world, const Options& options, Clock::time_point end) {
    Signaller signaller(options.seed);
    std::vector<std::thread> threads;
    for (int i = 0; i < options.threads; ++i) {
        threads.emplace_back([&, i] { work(world, signaller, options, i, end); });
    }
    for (std::thread& it : threads) it.join();
}

// Asks the fake platform whether its API was misused and whether everything was given back.
void check_fake(const std::string& path) {
    void* library = dlopen(path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
    if (library == nullptr) {
        violation("%s is not the platform in use", path.c_str());
        return;
    }
    const auto errors = reinterpret_cast<int (*)()>(dlsym(library, "fake_cl_errors"));
    const auto live = reinterpret_cast<int (*)()>(dlsym(library, "fake_cl_live_objects"));
    const auto live_of = reinterpret_cast<int (*)(const char*)>(dlsym(library, "fake_cl_live"));
    if (errors() != 0) violation("the driver saw %d misuses of its API", errors());
    if (eventually([&] { return live() == 0; })) return;
    for (const char* kind : {"event", "user event", "queue", "context", "memory", "program", "kernel", "sub-device"}) {
        if (live_of(kind) != 0) violation("%d objects of kind %s were never given back", live_of(kind), kind);
    }
}

// PoCL 3.1 fails an assertion where commands fail while others are enqueued behind them.
bool drops(const Options& options) { return options.chaos && !options.fake.empty(); }

int run(const Options& options) {
    if (options.chaos && !Chaos::available()) return 2;
    const Activity activity("main");
    const auto begin = Clock::now();
    auto world = std::make_unique<World>(options);
    start_watchdog(options.stall_seconds);
    int64_t suspensions = 0;
    int64_t dropped = 0;
    {
        std::unique_ptr<Chaos> chaos;
        std::unique_ptr<Dropper> dropper;
        if (options.chaos) chaos = std::make_unique<Chaos>(*world, options.seed);
        if (drops(options)) dropper = std::make_unique<Dropper>(*world, options.seed);
        run_workers(*world, options, begin + std::chrono::milliseconds(static_cast<int64_t>(options.seconds * 1000)));
        if (chaos) suspensions = chaos->suspensions();
        if (dropper) dropped = dropper->stop();
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    const int64_t operations = g_operations.load();
    Activity::set("checking the buffers");
    world->check_buffers();
    if (!eventually([] { return callbacks_owed() == 0; })) {
        violation("%lld callbacks never came", static_cast<long long>(callbacks_owed()));
    }
    if (user_events_owed() != 0) violation("%lld user events never set", static_cast<long long>(user_events_owed()));
    clear_graveyard();
    const std::string platform = world->platform_name;
    world.reset();
    if (!options.fake.empty()) check_fake(options.fake);
    if (options.chaos && suspensions == 0) violation("no XQueue was ever found to suspend");
    if (drops(options) && dropped == 0) violation("no command was ever dropped");
    std::printf("platform %s, %d threads, %.1f s, %lld suspensions, %lld commands dropped\n", platform.c_str(),
                options.threads, seconds, static_cast<long long>(suspensions), static_cast<long long>(dropped));
    std::printf("operations %lld, violations %lld, seed %llu\n", static_cast<long long>(operations),
                static_cast<long long>(violations()), static_cast<unsigned long long>(options.seed));
    return violations() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace order

int main(int argc, char** argv) {
    order::Options options;
    if (!order::parse_options(argc, argv, options)) return 2;
    return order::run(options);
}
