// Does every command run in an order that CANN's runtime allows, whatever sits between the program and it? See
// README.md.
#include "order/ascend/worker.h"
#include "order/ascend/world.h"
#include "order/core/run.h"

namespace {

struct Ascend
    : order::Types<order::ascend::World, order::ascend::Signaller, order::ascend::Chaos, order::ascend::Worker> {
    static constexpr const char* kKind = "device";
    void check(const order::Options&) const {
        if (fake_cuda_errors() != 0) order::violation("the runtime was misused %ld times", fake_cuda_errors());
    }
};

}  // namespace

int main(int argc, char** argv) { return order::run_checker<Ascend>(argc, argv); }
