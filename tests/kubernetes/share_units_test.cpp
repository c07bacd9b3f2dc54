#include "kubernetes/share_units.h"

#include <gtest/gtest.h>

namespace xsched::kubernetes {
namespace {

using Units = std::vector<std::string>;

TEST(KubernetesShareUnits, AGpuHasAHundred) {
    const Units units = units_of("gpu-0");
    EXPECT_EQ(units.size(), 100u);
    EXPECT_EQ(units[17], "gpu-0::17");
    EXPECT_EQ(by_gpu({"a::1", "a::2", "b::1"}), (std::map<std::string, size_t>{{"a", 2}, {"b", 1}}));
}

TEST(KubernetesShareUnits, AreOfTheGpuWithTheLeastThatIsEnough) {
    const Units available{"a::1", "a::2", "a::3", "b::1", "b::2", "c::1"};
    EXPECT_EQ(preferred_units(available, {}, 2), (Units{"b::1", "b::2"}));
    EXPECT_EQ(preferred_units(available, {}, 3), (Units{"a::1", "a::2", "a::3"}));
    EXPECT_EQ(preferred_units(available, {"a::2"}, 2), (Units{"a::2", "a::1"})) << "what must be among them decides";
    EXPECT_EQ(preferred_units(available, {}, 5).size(), 5u) << "of several: the plugin refuses these later";
}

}  // namespace
}  // namespace xsched::kubernetes
