// Watches the pool for a program in it, as xcli run does beside the program: has what it runs in failed? The main
// thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "cli/pool/pool.h"
#include "cli/pool/server_log.h"
#include "cli/processes.h"

namespace xsched::cli {

class PoolWatch {
public:
    // `pid`: the program, which begins now.
    PoolWatch(const Pool& pool, pid_t pid, std::string program);

    // Returns the fault that the program cannot outlast, once there is one and it shows which programs have failed by
    // themselves. Costs some microseconds if nothing changes.
    std::optional<PoolFault> look();
    // Returns the same after the program has failed by itself. `how`: "ended with status 1".
    std::optional<PoolFault> look_after_failure(const std::string& how);

private:
    // Asks the service, and reads the MPS server's log. `failed`: the program has.
    void ask(bool failed = false);
    bool concerns(const LoggedFault& fault, const PoolServer& server, bool failed) const;
    bool changed();
    std::optional<PoolFault> told() const;
    std::optional<PoolFault> seen(const std::string& how);

    const Pool& pool_;
    const pid_t pid_;
    const std::string program_;
    const int64_t began_ms_;
    int64_t asked_ns_ = 0;
    int64_t log_bytes_ = -1;
    bool had_daemon_ = false;
    ProcessMark server_;  // the MPS server that the program is in, once it is in one
    std::set<int> pids_;  // of the program in it
    std::optional<LoggedFault> fault_;  // it ended the program's context, or came just behind the program's failure
    bool service_ended_ = false;
};

}  // namespace xsched::cli
