// Does every command run in an order that Level Zero allows, whatever sits between the program and the driver? See
// README.md.
#include "order/core/run.h"
#include "order/levelzero/worker.h"
#include "order/levelzero/world.h"

namespace {

struct LevelZero : order::Types<order::levelzero::World, order::levelzero::Signaller, order::levelzero::Chaos,
                                order::levelzero::Worker> {
    static constexpr const char* kKind = "device";
    // Checks at the end that no rule of the driver was broken and that all objects were destroyed.
    void check(const order::Options&) const {
        if (fake_ze_misuses() != 0)
            order::violation("the driver's rules were broken %ld times", long{fake_ze_misuses()});
        if (fake_ze_alive() != 0) order::violation("%ld objects are not destroyed", long{fake_ze_alive()});
    }
};

}  // namespace

int main(int argc, char** argv) { return order::run_checker<LevelZero>(argc, argv); }
