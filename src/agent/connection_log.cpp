#include "agent/connection_log.h"

#include <atomic>

#include "base/log.h"

namespace xsched::agent {

void say_connected(int server_pid, const char* path, bool was_told) {
    if (was_told)
        XLOG_WARN("this process is scheduled from now on: using global scheduler (xserver %d at %s)", server_pid, path);
    else
        XLOG_INFO("using global scheduler (xserver %d at %s)", server_pid, path);
}

void say_unserved(const char* path, const char* refusal) {
    if (*refusal != '\0')
        XLOG_WARN("xserver at %s refused this process: %s; it runs unscheduled", path, refusal);
    else
        XLOG_WARN(
            "no xserver answers at %s: this process runs unscheduled until one comes (start it with 'xcli run', "
            "or start 'xserver', or use XSCHED_SCHEDULER=local)",
            path);
}

void say_lost(const char* why, bool brief) {
    XLOG_WARN("xserver is lost (%s%s): this process goes on unscheduled and looks for a server", why,
              brief ? ", within a second of coming; if it is lost so again, that is not told" : "");
}

void say_sandbox() {
    static constinit std::atomic<bool> said{false};
    if (!said.exchange(true))
        XLOG_WARN("this process has entered a sandbox: it runs unscheduled and looks for no server");
}

}  // namespace xsched::agent
