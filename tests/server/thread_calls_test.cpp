// Which system calls the threads make that must not wait for a peer: each is on a list, with the reason why it cannot
// wait. A call that is new fails the test: see docs/SECURITY.md, "What the server shares with a peer", before adding
// it.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "server/file_attacks.h"
#include "support/pattern.h"
#include "support/system_calls.h"

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

namespace xsched::test {
namespace {

struct Allowed {
    uint64_t call;
    const char* why;
};

const std::vector<Allowed> kOfScheduling = {
    {SYS_futex, "sleeps, wakes; the words are in memory that is sealed"},
    {SYS_futex_waitv, "sleeps on several words"},
    {SYS_write, "an eventfd of ours"},
    {SYS_clock_nanosleep, "rests"},
    {SYS_clock_gettime, "how long it has worked"},
    {SYS_clone3, "a thread for further doorbells"},
    {SYS_clone, "the same where clone3 is not allowed"},
    {SYS_rt_sigprocmask, "the same"},
    {SYS_restart_syscall, "goes on with its sleep after a debugger"},
    {SYS_gettid, "a name for the log"},
    {SYS_sched_yield, "a moment for another thread"},
    {SYS_mmap, "the stack of a thread for further doorbells"},
    {SYS_mprotect, "the same"},
    {SYS_munmap, "the same"},
};

const std::vector<Allowed> kOfFront = {
    {SYS_epoll_wait, "sleeps"},
    {SYS_epoll_pwait, "the same"},
    {SYS_epoll_ctl, "descriptors of ours and peers' connections"},
    {SYS_restart_syscall, "goes on with its sleep after a debugger"},
    {SYS_futex, "an order of the scheduling thread's: a second at most"},
    {SYS_write, "an eventfd, or an answer's file before the tool has it"},
    {SYS_read, "an eventfd, or a file of the list below"},
    {SYS_accept4, "does not block"},
    {SYS_getsockopt, "who a peer is"},
    {SYS_setsockopt, "a connection that is to be closed"},
    {SYS_recvmsg, "does not block, and takes no descriptors"},
    {SYS_recvfrom, "the same"},
    {SYS_sendmsg, "does not block"},
    {SYS_sendto, "the same"},
    {SYS_ioctl, "whether a peer has read all"},
    {SYS_shutdown, "a connection that is to be closed"},
    {SYS_close, "never the last of a peer's: the undertaker has that"},
    {SYS_memfd_create, "a Region's file, an answer"},
    {SYS_ftruncate, "a Region's file that no peer has yet"},
    {SYS_fchmod, "an answer that no tool has yet"},
    {SYS_fcntl, "seals of a file that no peer has yet; flags"},
    {SYS_pipe2, "pins a Region"},
    {SYS_splice, "the same"},
    {SYS_pidfd_open, "a peer's process"},
    {SYS_fstat, "what a descriptor is"},
    {SYS_newfstatat, "the same; a path of the list below"},
    {SYS_fstatfs, "the same"},
    {SYS_openat, "a path of the list below"},
    {SYS_lseek, "a file of the list below"},
    {SYS_getpid, ""},
    {SYS_geteuid, ""},
    {SYS_poll, "whether a process has ended; does not wait"},
    {SYS_ppoll, "the same"},
    {SYS_capget, "a peer's rights"},
    {SYS_getpriority, "its own"},
    {SYS_setpriority, "its own"},
    {SYS_sched_setattr, "its own"},
    {SYS_prctl, "its own timer slack"},
    {SYS_gettid, "its own number, for the log"},
    {SYS_clock_gettime, "how long it has worked"},
    {SYS_socketpair, "to a new thread of the undertaker"},
    {SYS_clone3, "a thread of the undertaker"},
    {SYS_clone, "the same where clone3 is not allowed"},
    {SYS_mmap, "its stack, and nothing else"},
    {SYS_mprotect, "the same"},
    {SYS_munmap, "the stack of one that ended"},
    {SYS_rt_sigprocmask, "the same"},
    {SYS_getrandom, "malloc, once"},
    {SYS_prlimit64, "its own limits"},
};

// The paths that the front opens or asks about. Others in /proc and /sys/fs/cgroup are read by a thread that may wait
// (server/system_files.h).
const char* const kPaths[] = {
    "/proc/self/(fd|uid_map|ns/[a-z]+|fdinfo/[0-9]+)",
    "/proc/(1/status|sys/kernel/overflowuid)",  // once
    "/etc/subuid",
    "[0-9]*",  // of /proc/self/fd
};

void expect_listed(const SystemCalls& calls, const std::vector<Allowed>& own) {
    ASSERT_FALSE(calls.calls().empty());
    const auto has = [](const std::vector<Allowed>& list, uint64_t call) {
        return std::any_of(list.begin(), list.end(), [call](const Allowed& one) { return one.call == call; });
    };
    for (const auto& [call, arguments] : calls.calls())
        EXPECT_TRUE(has(own, call)) << "system call " << call << " is not on the list";
}

class ThreadCalls : public WithServer {
protected:
    // Does everything that clients and tools usually do.
    void live() {
        std::vector<std::unique_ptr<LowAndHigh>> pairs;
        for (int i = 0; i < 12; ++i) {  // more than one thread hears
            pairs.push_back(std::make_unique<LowAndHigh>(socket()));
            ASSERT_TRUE(pairs.back()->connected());
        }
        TestClient many(socket());
        for (unsigned at = 0; at < ipc::kMostQueues; ++at) many.add_queue(at, 0, at + 0x100);
        TestTool tool(socket());
        for (const char* command : {"list", "status", "server", "programs", "limits", "record", "policy", "log"})
            EXPECT_EQ(tool.ask({{"cmd", command}}).value("ok", false), true) << command;
        EXPECT_EQ(tool.ask({{"cmd", "expect"}}).value("ok", false), true);
        for (const auto& pair : pairs) pair->submit();
        EXPECT_TRUE(pairs[0]->low.becomes_suspended(0, true));
        usleep(300'000);  // the front looks for stopped processes meanwhile
        const int64_t pid = getpid();
        for (const char* command : {"suspend", "resume"}) tool.ask({{"cmd", command}, {"queue", 0x100}});
        tool.ask({{"cmd", "hint"}, {"pid", pid}, {"priority", 3}});
        tool.ask({{"cmd", "limit"}, {"user", 65534}, {"name", "clients"}, {"value", 9}});
        for (const auto& pair : pairs) pair->high.complete(0);
        EXPECT_TRUE(pairs[0]->low.becomes_suspended(0, false));
        const base::UniqueFd talks(ipc::connect_path(socket().c_str()));
        ipc::send_packet(talks.get(), "x", 1);
        const HalfClient half(socket());
    }
    void watch(const char* name) {
        if (XSCHED_SLOWER > 1) GTEST_SKIP() << "a sanitizer makes calls of its own";
        const pid_t thread = thread_named(server->pid(), name);
        ASSERT_GT(thread, 0) << name;
        calls = std::make_unique<SystemCalls>(thread);
        if (!calls->watches()) GTEST_SKIP() << "this process may not trace the server's threads";
        live();
        usleep(100'000);
        calls->stop();
    }
    std::unique_ptr<SystemCalls> calls;
};

TEST_F(ThreadCalls, TheSchedulingThreadsAreListed) {
    watch("xserver-sched");
    if (IsSkipped() || HasFatalFailure()) return;
    expect_listed(*calls, kOfScheduling);
    EXPECT_TRUE(calls->paths().empty()) << *calls->paths().begin();
}

TEST_F(ThreadCalls, TheFrontsAreListed) {
    watch("xserver");
    if (IsSkipped() || HasFatalFailure()) return;
    expect_listed(*calls, kOfFront);
    for (const std::string& path : calls->paths()) {
        const bool known = std::any_of(std::begin(kPaths), std::end(kPaths),
                                       [&path](const char* pattern) { return Pattern(pattern).is_all_of(path); });
        EXPECT_TRUE(known) << path << " is not on the list";
    }
    // The front makes none of the following calls on a peer's file or its mappings, since they wait for the file's
    // lock. The undertaker's threads make them.
    for (const SystemCalls::Arguments& call : calls->of(SYS_ftruncate)) EXPECT_EQ(call[1], sizeof(ipc::Region));
    // A Region's memory is the undertaker's to map. malloc has memory in advance (server/thread/in_advance.h). A
    // stack is mapped without any rights at first.
    for (const SystemCalls::Arguments& call : calls->of(SYS_mmap)) EXPECT_EQ(call[2], PROT_NONE) << call[1] << " bytes";
    for (const SystemCalls::Arguments& call : calls->of(SYS_munmap)) EXPECT_NE(call[1], sizeof(ipc::Region));
    for (const SystemCalls::Arguments& call : calls->of(SYS_fcntl))
        EXPECT_FALSE(call[1] == F_ADD_SEALS && (call[2] & 0x10) != 0) << "F_SEAL_FUTURE_WRITE";
}

}  // namespace
}  // namespace xsched::test
