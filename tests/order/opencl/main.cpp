// Does every command run in an order that OpenCL allows, whatever sits between the program and the driver?
// See README.md.
#include <dlfcn.h>

#include <memory>
#include <string>

#include "order/core/run.h"
#include "order/opencl/chaos.h"
#include "order/opencl/dropper.h"
#include "order/opencl/signaller.h"
#include "order/opencl/worker.h"
#include "order/opencl/world.h"
#include "support/eventually.h"

namespace order::opencl {
namespace {

using xsched::test::eventually;

// PoCL 3.1 fails an assertion where commands fail while others are enqueued behind them.
bool drops(const Options& options) { return options.chaos && !options.fake.empty(); }

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

struct OpenCl : Types<World, Signaller, Chaos, Worker> {
    static constexpr const char* kKind = "platform";

    void begin(World& world, const Options& options) {
        if (drops(options)) dropper = std::make_unique<Dropper>(world, options.seed);
    }
    void end() {
        if (dropper) dropped = dropper->stop();
        dropper.reset();
    }
    void finish(World&, const Options& options) const {
        if (!eventually([] { return callbacks_owed() == 0; })) {
            violation("%lld callbacks never came", static_cast<long long>(callbacks_owed()));
        }
        if (user_events_owed() != 0)
            violation("%lld user events never set", static_cast<long long>(user_events_owed()));
        clear_graveyard();
        if (drops(options) && dropped == 0) violation("no command was ever dropped");
    }
    void check(const Options& options) const {
        if (!options.fake.empty()) check_fake(options.fake);
    }
    std::string more() const { return ", " + std::to_string(dropped) + " commands dropped"; }

    std::unique_ptr<Dropper> dropper;
    int64_t dropped = 0;
};

}  // namespace
}  // namespace order::opencl

int main(int argc, char** argv) { return order::run_checker<order::opencl::OpenCl>(argc, argv); }
