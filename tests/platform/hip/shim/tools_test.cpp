// roctracer and rocm-smi in a program that the shim schedules: results are right, and each sees what it should.
#include <filesystem>

#include "fake/hip/fake_hip.h"
#include "fake/kfd/fake_kfd.h"
#include "platform/hip/shim/program.h"

namespace xsched::test {
namespace {

class Tools : public HipTest {
protected:
    void SetUp() override {
        HipTest::SetUp();
        const char* folder = std::getenv("TEST_TOOLS");
        if (folder == nullptr) GTEST_SKIP() << "without the tools' stand-ins";
        tracer_ = dlopen((folder + std::string("/libfakeroctracer.so")).c_str(), RTLD_NOW);
        smi_ = dlopen((folder + std::string("/libfakerocmsmi.so")).c_str(), RTLD_NOW);
        ASSERT_NE(tracer_, nullptr);
        ASSERT_NE(smi_, nullptr);
    }
    template <typename Function>
    static Function* in(void* library, const char* name) {
        return reinterpret_cast<Function*>(dlsym(library, name));
    }
    unsigned traced(const char* call) { return in<unsigned(const char*)>(tracer_, "fake_roctracer_calls")(call); }

    void* tracer_ = nullptr;
    void* smi_ = nullptr;
};

TEST_F(Tools, RoctracerSeesEachOfTheProgramsCallsOnce) {
    constexpr uint32_t kLaunches = 20;
    in<void()>(tracer_, "fake_roctracer_start")();
    const hipStream_t stream = new_stream();
    uint32_t expected = 0;
    for (uint32_t i = 0; i < kLaunches; ++i) {
        EXPECT_EQ(append(stream, i), hipSuccess);
        expected = expected * 31 + i;
    }
    EXPECT_EQ(hip().hipStreamSynchronize(stream), hipSuccess);
    EXPECT_EQ(word(), expected);
    EXPECT_NE(xqueue_of(stream), 0u) << "and XSched schedules it";
    EXPECT_EQ(traced("hipModuleLaunchKernel"), kLaunches);
    EXPECT_EQ(traced("hipStreamSynchronize"), 1u);
    in<void()>(tracer_, "fake_roctracer_stop")();
    const unsigned before = traced("hipStreamDestroy");  // XSched's own calls, which the runtime tells it of as well
    EXPECT_EQ(hip().hipStreamDestroy(stream), hipSuccess);
    EXPECT_EQ(traced("hipStreamDestroy"), before) << "it has stopped";
}

TEST_F(Tools, RocmSmiGetsItsAnswersFromTheDriver) {
    const hipStream_t stream = new_stream();
    EXPECT_NE(used_xqueue_of(stream), 0u);
    const int driver = reinterpret_cast<decltype(fake_kfd_open)*>(dlsym(RTLD_DEFAULT, "fake_kfd_open"))();
    const auto version = in<int(int, unsigned*, unsigned*)>(smi_, "fake_smi_driver_version");
    unsigned major = 0, minor = 0;
    EXPECT_EQ(version(driver, &major, &minor), 0);
    EXPECT_EQ(major, 1u);
    EXPECT_EQ(minor, kFakeKfdMinor);
    EXPECT_EQ(version(-1, &major, &minor), EBADF) << "errors are the kernel's";
    char folder[] = "/tmp/xsched-smi-XXXXXX";
    ASSERT_NE(mkdtemp(folder), nullptr);
    for (const char* queue : {"0", "1", "2"}) std::filesystem::create_directory(std::string(folder) + "/" + queue);
    EXPECT_EQ(in<unsigned(const char*)>(smi_, "fake_smi_queues")(folder), 3u);
    std::filesystem::remove_all(folder);
    EXPECT_EQ(hip().hipStreamDestroy(stream), hipSuccess);
}

}  // namespace
}  // namespace xsched::test
