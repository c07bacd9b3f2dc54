// Contexts, their default streams and their ends; how a program begins to use a device; and programs that look
// functions up by name.
#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "base/unique_fd.h"
#include "platform/ascend/shim/program.h"
#include "support/listener.h"

namespace xsched::test {
namespace {

TEST(Contexts, HaveADefaultStreamEach) {
    Program program;
    aclrtContext primary = nullptr, other = nullptr;
    ACL_OK(aclrtGetCurrentContext(&primary));
    ACL_OK(program.append(nullptr, 1));
    const XQueueHandle first = xqueue_of(nullptr);
    ACL_OK(aclrtSynchronizeStream(nullptr));
    ACL_OK(aclrtCreateContext(&other, 0));
    ACL_OK(aclrtMemsetAsync(program.words(), 64, 0, 4, nullptr));
    const XQueueHandle second = xqueue_of(nullptr);
    EXPECT_NE(first, second);
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_TRUE(is_idle(second));
    ACL_OK(aclrtDestroyContext(other));
    ACL_OK(aclrtSetCurrentContext(primary));
    XQueueState state = kQueueStateUnknown;
    EXPECT_TRUE(eventually([&] { return XQueueQuery(second, &state) != kXSchedSuccess; })) << "it outlives its context";
    EXPECT_EQ(xqueue_of(nullptr), first);
}

TEST(Contexts, EndWithTheirDevice) {
    XQueueHandle queue = 0;
    {
        Program program;
        ACL_OK(program.append(nullptr, 1));
        queue = xqueue_of(nullptr);
    }
    XQueueState state = kQueueStateUnknown;
    EXPECT_TRUE(eventually([&] { return XQueueQuery(queue, &state) != kXSchedSuccess; }));
    Program again;
    ACL_OK(again.append(nullptr, 2));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(again.word(), appended({2}));
}

// Takes connections at the server's socket, if the test is told of one, and answers nothing.
base::UniqueFd silent_server() {
    const char* path = std::getenv("XSCHED_SOCKET");
    if (path == nullptr) return base::UniqueFd(-1);
    unlink(path);
    return base::UniqueFd(listen_on(path));
}

// The runtime's own threads call exported functions meanwhile, as FAKE_ASCEND_SET_DEVICE says.
TEST(SetDevice, ReturnsWhateverTheServerDoes) {
    using Clock = std::chrono::steady_clock;
    const base::UniqueFd server = silent_server();
    const auto began = Clock::now();
    {
        Program program;
        EXPECT_LT(Clock::now() - began, std::chrono::seconds(10));
        const AclStream stream = program.stream();
        for (uint32_t i = 1; i < 4; ++i) ACL_OK(program.append(stream, i));
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_EQ(program.word(), appended({1, 2, 3}));
    }
    EXPECT_LT(Clock::now() - began, std::chrono::seconds(20));
}

TEST(WaysIn, ByName) {
    void* const library = dlopen("libascendcl.so", RTLD_NOW);
    ASSERT_NE(library, nullptr);
    for (const char* name : {"aclrtLaunchKernel", "rtKernelLaunch"}) {
        Dl_info info{};
        ASSERT_NE(dladdr(dlsym(library, name), &info), 0) << name;
        EXPECT_NE(std::strstr(info.dli_fname, "libshimascend"), nullptr) << name << " is of " << info.dli_fname;
    }
    EXPECT_EQ(dlsym(library, "aclrtMalloc"), reinterpret_cast<void*>(&aclrtMalloc)) << "the shim leaves it";
    EXPECT_EQ(dlsym(library, "aclrtNoSuchFunction"), nullptr);
    EXPECT_EQ(dlsym(library, "aclrtLaunchKernelV2"), nullptr) << "this runtime lacks it";
}

}  // namespace
}  // namespace xsched::test
