// Does every command run in an order that Vulkan allows, whatever sits between the program and the driver? See
// README.md.
#include "order/core/run.h"
#include "order/vulkan/chaos.h"
#include "order/vulkan/worker.h"
#include "order/vulkan/world.h"

namespace {

struct Vulkan
    : order::Types<order::vulkan::World, order::vulkan::Signaller, order::vulkan::Chaos, order::vulkan::Worker> {
    static constexpr const char* kKind = "device";
    void begin(World&, const order::Options&) const {}
    void end() const {}
    void finish(World&, const order::Options&) const {}
    void check(const order::Options&) const {}
    std::string more() const { return ""; }
};

}  // namespace

int main(int argc, char** argv) {
    order::Options options;
    if (!order::parse_options(argc, argv, options)) return 2;
    return order::Run<Vulkan>(options).run();
}
