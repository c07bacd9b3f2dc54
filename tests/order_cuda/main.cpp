// Does all stream work happen in an order that CUDA allows, whatever sits between the program and the driver?
// See README.md.
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "order/options.h"
#include "order/report.h"
#include "order_cuda/chaos.h"
#include "order_cuda/parts.h"
#include "order_cuda/worker.h"

namespace order::cuda {
namespace {

using Clock = std::chrono::steady_clock;

void work(World& world, Signaller& signaller, const Options& options, int index, Clock::time_point end) {
    const std::string name = "worker " + std::to_string(index);
    const Activity activity(name.c_str());
    Worker worker(world, signaller, index, options.seed * 1000 + static_cast<uint64_t>(index));
    while (g_operations.load(std::memory_order_relaxed) < options.operations) {
        if (options.seconds > 0 && Clock::now() > end) break;
        worker.one_operation();
    }
    worker.settle_all();
}

void run_workers(World& world, const Options& options, Clock::time_point end) {
    Signaller signaller(options.seed);
    std::vector<std::thread> threads;
    for (int i = 0; i < options.threads; ++i) threads.emplace_back([&, i] { work(world, signaller, options, i, end); });
    for (std::thread& it : threads) it.join();
}

bool eventually(const std::function<bool()>& condition) {
    for (int i = 0; i < 1000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return condition();
}

// What the fake driver saw: misuse, full streams, disturbed captures, objects never given back.
void check_fake() {
    for (const char* name : {"fake_cuda_errors", "fake_cuda_blocked_in_driver", "fake_cuda_capture_disturbed"})
        if (const long count = ::cuda::fake_count(name); count != 0) violation("%s is %ld, not 0", name, count);
    const auto live = reinterpret_cast<long (*)(const char*)>(::cuda::fake_control("fake_cuda_live"));
    if (live == nullptr) return;
    for (const char* kind : {"event", "graph", "graph exec", "module"}) {
        if (!eventually([&] { return live(kind) <= 0; }))
            violation("%ld objects of kind '%s' were never given back", live(kind), kind);
    }
}

int run(const Options& options) {
    if (options.chaos && !Chaos::available()) return 2;
    const Activity activity("main");
    const auto begin = Clock::now();
    auto world = std::make_unique<World>(options);
    start_watchdog(options.stall_seconds);
    int64_t suspensions = 0;
    {
        std::unique_ptr<Chaos> chaos;
        if (options.chaos) chaos = std::make_unique<Chaos>(*world, options.seed);
        run_workers(*world, options, begin + std::chrono::milliseconds(static_cast<int64_t>(options.seconds * 1000)));
        if (chaos) suspensions = chaos->suspensions();
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    const int64_t operations = g_operations.load();
    Activity::set("checking the buffers");
    world->check_buffers();
    {
        const InContext inside(*world->contexts.front());
        free_host_memory();
    }
    const std::string device = world->device_name;
    world.reset();
    check_fake();
    if (options.chaos && suspensions == 0) violation("no XQueue was ever found to suspend");
    std::printf("device %s, %d threads, %.1f s, %lld suspensions\n", device.c_str(), options.threads, seconds,
                static_cast<long long>(suspensions));
    std::printf("operations %lld, violations %lld, seed %llu\n", static_cast<long long>(operations),
                static_cast<long long>(violations()), static_cast<unsigned long long>(options.seed));
    return violations() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace order::cuda

int main(int argc, char** argv) {
    order::Options options;
    if (!order::parse_options(argc, argv, options)) return 2;
    if (!order::cuda::choose_parts(options.without, options.favour)) return 2;
    order::cuda::History::set_most_explained(options.explain);
    return order::cuda::run(options);
}
