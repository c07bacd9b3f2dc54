// Containers, sandboxes and kernel.yama.ptrace_scope forbid tracing other processes and reading their memory. Tests
// that a server, its clients and xcli work where all such system calls fail.
#include <sys/syscall.h>

#include "cli/cli_rig.h"
#include "support/forbidden_calls.h"
#include "support/sanitized.h"

namespace xsched::test {
namespace {

class Forbidden : public WithCli {
protected:
    // Runs the commands of xcli against a server. Returns 0 if all of them work although some system calls are
    // forbidden, else the number of the step that failed.
    int try_everything() {
        start();
        LowAndHigh clients(socket());
        if (!clients.connected()) return 1;
        if (!clients.compete()) return 2;
        if (!eventually([this] { return has(xcli({"list"}).out, "held"); })) return 3;
        clients.high.complete(0);
        if (!clients.low.becomes_suspended(0, false)) return 4;
        const Outcome outcome = xcli({"run", "--", "/bin/echo", "ran"});
        if (outcome.status != 0 || outcome.out != "ran\n") return 5;
        return server->stop() == 0 ? 0 : 6;
    }
};

TEST_F(Forbidden, NothingTracesOrReadsAnotherProcess) {
    if (kSanitized) GTEST_SKIP() << "the sanitizer itself traces the process at its end";
    const int status = in_child(
        [this] {
            const bool forbidden =
                forbid_calls({SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_pidfd_getfd});
            return forbidden ? try_everything() : 99;
        },
        120);
    if (status == 99) GTEST_SKIP() << "this kernel has no filters of system calls";
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace xsched::test
