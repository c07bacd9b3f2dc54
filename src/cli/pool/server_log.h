// Reads from the MPS server's log which programs a fault on the device has ended: the service itself forgets the fault
// as soon as the programs that it ended are gone (0.1 s, seen with driver 580). Pure.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace xsched::cli {

struct LoggedFault {
    int64_t at_ms = 0;  // since 1970
    std::vector<int> programs;  // the pids of those whose contexts it ended
};

// Returns the last fault that the MPS server has written into `log`, the text of its log.
std::optional<LoggedFault> last_fault(const std::string& log, pid_t server);

}  // namespace xsched::cli
