// Programs whose streams wait for each other (cuda_patterns.cpp) end under every policy: two of them beside each other
// on one device, without the starvation limit, which would hide a second later that one was suspended for good.
#include "policy/policy.h"
#include "system/cuda_rig.h"

namespace xsched::test {
namespace {

constexpr const char* kRounds = "5";

class CudaPatterns : public ::testing::TestWithParam<const char*> {
protected:
    std::unique_ptr<Process> start_program(const char* pattern, const Environment& hints) const {
        Environment environment = directory.environment();
        environment["LD_PRELOAD"] = getenv("TEST_SHIM");
        environment["XSCHED_CUDA_LIB"] = getenv("TEST_DRIVER");
        environment["XSCHED_SCHEDULER"] = "global";
        environment["FAKE_CUDA_SHARED"] = directory / "device";
        for (const auto& [name, value] : hints) environment["XSCHED_AUTO_XQUEUE_" + name] = value;
        return std::make_unique<Process>(std::vector<std::string>{XSCHED_CUDA_PATTERNS, pattern, kRounds}, environment);
    }

    // Returns the program's exit status. Waits for as long as the program makes progress.
    static int ends(Process& program) {
        const auto gets_on = [&program] {
            const size_t before = program.out().size();
            return eventually([&program, before] {
                program.take_output();
                return program.out().size() > before;
            });
        };
        while (program.out().find("done") == std::string::npos && gets_on()) {
        }
        return program.wait();
    }

    const PrivateDirectory directory;
};

// Gives the two programs unequal hints for every policy, so that each policy has a reason to keep one of them off.
// Neither may stay suspended for good.
TEST_P(CudaPatterns, NobodyIsSuspendedForGood) {
    ServerProcess server(directory, {GetParam(), "--starvation-limit-ms", "0", "--claim-limit-ms", "0"},
                         directory.environment());
    ASSERT_TRUE(server.ready()) << server.process().err();
    const Environment much{
        {"UTILIZATION", "70"}, {"SHARE", "40"}, {"DEADLINE", "20000"}, {"LAXITY", "5000"}, {"WINDOW", "1"}};
    const Environment little{{"UTILIZATION", "30"}, {"SHARE", "10"}, {"LIMIT", "60"}, {"SLO_P99", "100000"}};
    std::vector<std::unique_ptr<Process>> programs;
    for (const char* pattern : {"ring", "ping_pong", "all"}) programs.push_back(start_program(pattern, much));
    for (const char* pattern : {"chain", "pool", "ring"}) programs.push_back(start_program(pattern, little));
    for (const auto& program : programs) ASSERT_EQ(ends(*program), 0) << program->out() << program->err();
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
