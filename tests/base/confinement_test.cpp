#include "base/confinement.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/thread.h"
#include "support/child.h"
#include "support/sandbox.h"

namespace {

using namespace xsched::base;
using xsched::test::enter_sandbox;
using xsched::test::in_child;

constexpr int kNoSandbox = 77;

void* nothing(void*) { return nullptr; }

TEST(Confinement, ASandboxIsNoticedAndNoThreadIsStartedInIt) {
    const int status = in_child([] {
        note_confinement();
        if (entered_sandbox()) return 1;
        if (!enter_sandbox()) return kNoSandbox;
        Thread thread;
        return entered_sandbox() && !thread.start("xsched-test", nothing, nullptr) ? 0 : 2;
    });
    if (status == kNoSandbox) GTEST_SKIP() << "no sandbox can be entered here";
    EXPECT_EQ(status, 0);
}

// Confines the calling thread. Stores in `result` 0, or the number of the step that went wrong.
void* confine_this_thread(void* result) {
    auto& step = *static_cast<int*>(result);
    if (entered_sandbox()) return step = 1, nullptr;
    if (!enter_sandbox(xsched::test::Confine::kThisThread)) return step = kNoSandbox, nullptr;
    Thread thread;
    step = entered_sandbox() && !thread.start("xsched-test", nothing, nullptr) ? 0 : 2;
    return nullptr;
}

TEST(Confinement, ASandboxOfOneThreadIsNoticedByThatThreadAlone) {
    const int status = in_child([] {
        note_confinement();
        int step = 3;
        Thread confined;
        if (!confined.start("test-confined", confine_this_thread, &step)) return 4;
        confined.join();
        return step != 0 ? step : entered_sandbox() ? 5 : 0;
    });
    if (status == kNoSandbox) GTEST_SKIP() << "no sandbox can be entered here";
    EXPECT_EQ(status, 0);
}

TEST(Confinement, AProgramMayCloseTheDescriptor) {
    const int status = in_child([] {
        note_confinement();
        for (int fd = 3; fd < 64; ++fd) close(fd);
        const int other = dup(STDERR_FILENO);
        const bool entered = entered_sandbox();
        note_confinement();
        return !entered && fcntl(other, F_GETFD) >= 0 ? 0 : 1;
    });
    EXPECT_EQ(status, 0);
}

}  // namespace
