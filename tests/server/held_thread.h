// A thread of another process that a test holds by its right to trace it.
#pragma once

#include <sys/ptrace.h>
#include <sys/wait.h>

#include <string>
#include <utility>

#include "server/server_threads.h"

namespace xsched::test {

// A thread that does not go when its process ends, until it is let go: as one that waits in the kernel. A tracer of a
// thread must wait for it before its process can be waited for.
class HeldThread {
public:
    // Returns false if this user may not do this here.
    bool hold(pid_t process, const std::string& name) {
        thread_ = thread_named(process, name);
        if (thread_ > 0 && ptrace(PTRACE_SEIZE, thread_, nullptr, nullptr) == 0) return true;
        thread_ = 0;
        return false;
    }
    // Stops the thread: it executes nothing more.
    bool stop() const { return ptrace(PTRACE_INTERRUPT, thread_, nullptr, nullptr) == 0; }
    // Lets go of the thread, whose process must be ending.
    void let_go() {
        if (thread_ > 0) waitpid(std::exchange(thread_, 0), nullptr, __WALL);
    }

private:
    pid_t thread_ = 0;  // with this test's end it is let go too
};

}  // namespace xsched::test
