// Does every command run in an order that Vulkan allows, whatever sits between the program and the driver? See
// README.md.
#include "order/core/run.h"
#include "order/vulkan/worker.h"
#include "order/vulkan/world.h"

namespace {

struct Vulkan
    : order::Types<order::vulkan::World, order::vulkan::Signaller, order::vulkan::Chaos, order::vulkan::Worker> {
    static constexpr const char* kKind = "device";
};

}  // namespace

int main(int argc, char** argv) { return order::run_checker<Vulkan>(argc, argv); }
