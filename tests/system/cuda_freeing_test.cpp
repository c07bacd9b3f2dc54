// Memory of the device is freed so that what the driver does behind that is over before a more urgent program's copies
// (platform/stream/shim/freeing.h).
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/clock.h"
#include "system/keep_alive_rig.h"

namespace xsched::test {
namespace {

// 2 GiB take the driver two seconds to scrub, at a byte per nanosecond. With AddressSanitizer the fake driver's call
// alone takes 0.2 s for them. Each line: how long a release took and how much of that its thread slept, in ms, and how
// often the driver was asked what lies at an address meanwhile. To wait for a processor is no sleep.
constexpr const char* kFrees = R"(
GIB = 1 << 30

def allocate(size):
    memory = ctypes.c_uint64()
    assert cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(size)) == 0
    return memory

def awake_ns():
    ran, waited, _ = map(int, open("/proc/thread-self/schedstat").read().split())
    return ran + waited

def free(memory):
    asked, awake, began = fake.fake_cuda_calls(b"cuPointerGetAttributes"), awake_ns(), time.monotonic_ns()
    assert cuda.cuMemFree_v2(memory) == 0
    took, awake = time.monotonic_ns() - began, awake_ns() - awake
    asked = fake.fake_cuda_calls(b"cuPointerGetAttributes") - asked
    print("took", took // 1000000, "slept", (took - awake) // 1000000, "asked", asked, flush=True)

cuda.cuMemsetD8Async(allocate(4096), 0, ctypes.c_size_t(4096), stream)
cuda.cuStreamSynchronize(stream)
tensors = [allocate(size) for size in (2 * GIB, 2 * GIB, GIB // 256, GIB // 8, GIB // 8)]
ready()
for which in map(int, os.environ["FREES"].split(",")):
    free(tensors[which])
print("over", flush=True)
)";
constexpr int64_t kMost = 90;  // ms, of those that a release waits at most: 100

struct Release {
    long long took_ms, slept_ms;
    int asked;
};

class CudaFreeing : public CudaKeepAlive {
protected:
    // Runs a program that frees tensors of this kind, while the server foresees copies of an urgent program in
    // `burst_ns` (0: none). Returns how long each release took and waited.
    std::vector<Release> releases(const char* which, int64_t burst_ns, const Environment& more = {}) {
        Environment its = environment({{"FREES", which}, {"XSCHED_DEBUG", "scrub_rate=1"}});
        for (const auto& [name, value] : more) its[name] = value;
        Process program({"/usr/bin/python3", "-c", in_cuda(kFrees)}, its);
        EXPECT_TRUE(server.wait_for_client());
        EXPECT_TRUE(comes_to_say(program, program.out(), "ready\n")) << program.err();
        server.region().header.copy_burst_ns = burst_ns != 0 ? base::now_ns() + burst_ns : 0;
        kill(program.pid(), SIGUSR1);
        EXPECT_TRUE(comes_to_say(program, program.out(), "over\n")) << program.out() << program.err();
        std::vector<Release> found;
        const std::string all = program.out();
        for (size_t at = 0; (at = all.find("took", at)) != std::string::npos; ++at) {
            Release one{};
            EXPECT_EQ(
                sscanf(all.c_str() + at, "took %lld slept %lld asked %d", &one.took_ms, &one.slept_ms, &one.asked), 3)
                << all;
            found.push_back(one);
        }
        return found;
    }
};

TEST_F(CudaFreeing, WhatWouldNotBeScrubbedInTimeWaits) {
    const std::vector<Release> one = releases("0", 1'500 * base::kMillisecond);
    ASSERT_EQ(one.size(), 1u);
    EXPECT_GE(one[0].took_ms, kMost);
}

TEST_F(CudaFreeing, WhatWasFreedBeforeIsScrubbedFirst) {
    const std::vector<Release> two = releases("0,1", 3'500 * base::kMillisecond);
    ASSERT_EQ(two.size(), 2u);
    EXPECT_GE(two[1].took_ms, kMost);
}

TEST_F(CudaFreeing, WithoutCopiesToComeNobodyAsks) {
    const std::vector<Release> two = releases("0,2", 0);
    ASSERT_EQ(two.size(), 2u);
    EXPECT_EQ(two[0].asked + two[1].asked, 0);
}

TEST_F(CudaFreeing, NorWhereItIsTurnedOff) {
    const std::vector<Release> one = releases("0", 1'500 * base::kMillisecond, {{"XSCHED_DEBUG", "scrub_rate=0"}});
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0].asked, 0);
}

// The predicted time of an urgent program's copies is long past (its scheduler may be gone), so frees are not delayed
// for it.
TEST_F(CudaFreeing, ATimeThatIsLongOverHoldsNobodyUp) {
    const std::vector<Release> two = releases("3,4", -base::kSecond);
    ASSERT_EQ(two.size(), 2u);
    EXPECT_EQ(two[0].asked + two[1].asked, 2);
    EXPECT_LT(std::min(two[0].slept_ms, two[1].slept_ms), kMost) << "a lock of the driver may keep one of them";
}

}  // namespace
}  // namespace xsched::test
