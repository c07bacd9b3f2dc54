// Does all stream work happen in an order that CUDA allows, whatever sits between the program and the driver?
// See README.md.
#include <string>

#include "order/core/run.h"
#include "order/cuda/chaos.h"
#include "order/cuda/parts.h"
#include "order/cuda/worker.h"
#include "support/eventually.h"

namespace order::cuda {
namespace {

struct Cuda : Types<World, Signaller, Chaos, Worker> {
    static constexpr const char* kKind = "device";

    void finish(World& world, const Options&) const {
        const InContext inside(*world.contexts.front());
        free_host_memory();
    }
    // The fake driver's findings: misuse, full streams, disturbed captures, objects never given back.
    void check(const Options&) const {
        for (const char* name : {"fake_cuda_errors", "fake_cuda_blocked_in_driver", "fake_cuda_capture_disturbed"})
            if (const long count = ::cuda::fake_count(name); count != 0) violation("%s is %ld, not 0", name, count);
        const auto live = reinterpret_cast<long (*)(const char*)>(::cuda::fake_control("fake_cuda_live"));
        if (live == nullptr) return;
        for (const char* kind : {"event", "graph", "graph exec", "module"}) {
            if (!xsched::test::eventually([&] { return live(kind) <= 0; }))
                violation("%ld objects of kind '%s' were never given back", live(kind), kind);
        }
    }
};

}  // namespace
}  // namespace order::cuda

int main(int argc, char** argv) {
    order::Options options;
    if (!order::parse_options(argc, argv, options)) return 2;
    if (!order::cuda::choose_parts(options.without, options.favour)) return 2;
    order::cuda::History::set_most_explained(options.explain);
    return order::Run<order::cuda::Cuda>(options).run();
}
