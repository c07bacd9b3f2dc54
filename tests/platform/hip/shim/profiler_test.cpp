// rocprofiler-register finds the shim's rocprofiler_set_api_table and opens no profiler: the shim does.
#include "platform/hip/shim/program.h"

namespace xsched::test {
namespace {

class Profiler : public HipTest {};

TEST_F(Profiler, TheOneThatTheEnvironmentAsksForGetsTheTables) {
    const char* library = std::getenv("ROCPROFILER_REGISTER_LIBRARY");
    if (library == nullptr) library = std::getenv("TEST_PROFILER");  // as ROCP_TOOL_LIBRARIES has it opened
    if (library == nullptr) GTEST_SKIP() << "without a profiler";
    const hipStream_t stream = new_stream();
    EXPECT_NE(used_xqueue_of(stream), 0u) << "and XSched goes on";
    EXPECT_EQ(hip().hipStreamDestroy(stream), hipSuccess);
    void* profiler = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
    ASSERT_NE(profiler, nullptr) << "nobody opened it";
    const auto count = [profiler](const char* name) {
        return reinterpret_cast<unsigned (*)()>(dlsym(profiler, name))();
    };
    EXPECT_EQ(count("fake_profiler_hip_tables"), 1u);
    EXPECT_EQ(count("fake_profiler_hsa_tables"), 1u);
    dlclose(profiler);
}

}  // namespace
}  // namespace xsched::test
