// A sandbox as programs put themselves into after they have set themselves up: the kernel ends the process, whichever
// of its threads makes one of these calls. Linux on x86-64 and arm64.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <vector>

namespace xsched::test {

// The threads that a sandbox confines: all of the process, or the calling one. A confined thread must make no
// connection, file, memory file, process or thread any more. enter_sandbox returns false if the kernel has no such
// sandbox.
enum class Confine { kAllThreads, kThisThread };
inline bool enter_sandbox(Confine who = Confine::kAllThreads) {
    constexpr long kForbidden[] = {
        SYS_socket,       SYS_connect, SYS_openat,   SYS_eventfd2, SYS_pipe2,
        SYS_memfd_create, SYS_execve,  SYS_execveat, SYS_clone,    SYS_clone3,
#ifdef SYS_fork
        SYS_fork,         SYS_vfork,   SYS_open,
#endif
    };
    std::vector<sock_filter> code{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
    for (const long call : kForbidden) {
        code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1));
        code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
    }
    code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    const sock_fprog program{.len = static_cast<unsigned short>(code.size()), .filter = code.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, who == Confine::kAllThreads ? SECCOMP_FILTER_FLAG_TSYNC : 0,
                   &program) == 0;
}

}  // namespace xsched::test
