#include "kubernetes/slice_devices.h"

#include <gtest/gtest.h>

namespace xsched::kubernetes {
namespace {

TEST(KubernetesSliceDevices, CountSharesAndSayWhatIsWrong) {
    const std::vector<Gpu> gpus{
        {"gpu-0", "0000:3b:00.0", "cuda", "nvidia.com/gpu=GPU-1", "NVIDIA H200", "GPU-1", int64_t{192} << 30, false}};
    const Json device = slice_devices(gpus, {})[0];
    EXPECT_EQ(device["allowMultipleAllocations"], true);
    EXPECT_EQ(device["capacity"]["share"]["value"], "100");
    EXPECT_EQ(device["capacity"]["share"]["requestPolicy"]["validRange"]["max"], "100");
    EXPECT_EQ(device["attributes"]["resource.kubernetes.io/pciBusID"]["string"], "0000:3b:00.0");
    EXPECT_EQ(device["capacity"]["memory"]["value"], "196608Mi");
    const auto keys = [&gpus](const Troubles& troubles) {
        std::vector<std::string> all;
        const Json devices = slice_devices(gpus, troubles);
        for (const Json& taint : devices[0].value("taints", Json::array())) all.push_back(taint["key"]);
        return all;
    };
    using Keys = std::vector<std::string>;
    EXPECT_EQ(keys({}), Keys{"gpu.xsched.io/off-the-bus"});
    EXPECT_EQ(keys({true, {"0000:3b:00.0"}}),
              (Keys{"gpu.xsched.io/off-the-bus", "gpu.xsched.io/no-server", "gpu.xsched.io/targets-missed"}));
    EXPECT_EQ(keys({false, {"0000:3c:00.0"}}), Keys{"gpu.xsched.io/off-the-bus"});
}

}  // namespace
}  // namespace xsched::kubernetes
