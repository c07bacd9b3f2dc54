// Programs whose streams wait for each other (cuda_patterns.cpp) end under every policy: two of them beside each other
// on one device, without the starvation limit, which would hide a second later that one stood for good.
#include "policy/policy.h"
#include "system/cuda_rig.h"

namespace xsched::test {
namespace {

constexpr const char* kRounds = "6";

class CudaPatterns : public ::testing::TestWithParam<const char*> {
protected:
    std::unique_ptr<Process> start_program(const Environment& hints) const {
        Environment environment = directory.environment();
        environment["LD_PRELOAD"] = getenv("TEST_SHIM");
        environment["XSCHED_CUDA_LIB"] = getenv("TEST_DRIVER");
        environment["XSCHED_SCHEDULER"] = "global";
        environment["FAKE_CUDA_SHARED"] = directory / "device";
        for (const auto& [name, value] : hints) environment["XSCHED_AUTO_XQUEUE_" + name] = value;
        return std::make_unique<Process>(std::vector<std::string>{XSCHED_CUDA_PATTERNS, kRounds}, environment);
    }

    const PrivateDirectory directory;
};

// What each policy reads, so that each has a reason to keep one of them off.
TEST_P(CudaPatterns, NobodyStandsForGood) {
    ServerProcess server(directory, {GetParam(), "--starvation-limit-ms", "0"}, directory.environment());
    ASSERT_TRUE(server.ready()) << server.process().err();
    const auto first = start_program(
        {{"UTILIZATION", "70"}, {"SHARE", "70"}, {"DEADLINE", "20000"}, {"LAXITY", "5000"}, {"WINDOW", "1"}});
    const auto second = start_program(
        {{"UTILIZATION", "30"}, {"SHARE", "30"}, {"LIMIT", "60"}, {"DEADLINE", "50000"}, {"SLO_P99", "100000"}});
    EXPECT_EQ(first->wait(), 0) << first->out() << first->err();
    EXPECT_EQ(second->wait(), 0) << second->out() << second->err();
}

std::vector<const char*> every_policy() {
    std::vector<const char*> names;
    for (const policy::PolicyInfo& info : policy::policies()) names.push_back(info.name);
    return names;
}

INSTANTIATE_TEST_SUITE_P(Policies, CudaPatterns, ::testing::ValuesIn(every_policy()),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace xsched::test
