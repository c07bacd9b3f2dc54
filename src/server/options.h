// xserver's command line, with its defaults.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ipc/protocol.h"
#include "server/limits/cgroups.h"
#include "server/limits/users.h"

namespace xsched::server {

class ServiceManager;
struct SupervisedMemory;

struct Options {
    std::string policy = "HPF";
    std::string policy_file;  // library of a policy to load; empty: none
    std::string policy_line;  // expression of a policy to make; empty: none
    std::string socket;  // where to listen
    std::string guest_socket;  // where to listen for containers; empty: nowhere
    ipc::SocketScope scope = ipc::SocketScope::kUser;
    int64_t idle_exit_ns = 0;         // exit after this long without a client or a tool; 0: never
    int64_t starvation_limit_ns = 0;  // 0: none
    int64_t claim_limit_ns = 0;       // likewise (sched/pattern/claim.h)
    int64_t spin_ns = 0;              // poll the doorbells for this long before sleeping
    std::string share_unit = "program";  // which queues share a device as one: those of a program, each queue, a
                                         // user's, a control group's
    std::vector<LimitSetting> limits;  // --limit
    std::vector<GroupSetting> groups;  // likewise
    std::string log_file;             // empty: standard error
    bool flight_recorder = true;      // the last 30 s are kept, for xcli trace --last
    SupervisedMemory* supervised = nullptr;  // shared with the supervisor; null: there is none
    ServiceManager* manager = nullptr;       // told about this server's state; null: the supervisor reports it
};

}  // namespace xsched::server
