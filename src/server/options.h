// xserver's options: its configuration (docs/CONFIG.md), of which the command line is the last part.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "config/configuration.h"
#include "ipc/protocol.h"
#include "server/limits/cgroups.h"
#include "server/limits/users.h"

namespace xsched::server {

class ServiceManager;
struct SupervisedMemory;

// A limit of the files or the command line.
struct ConfiguredLimit : LimitSetting {
    std::string source;  // "FILE:LINE", or "--limit"
};

struct Options {
    std::map<std::string, std::string> flags;  // settings of the command line, by config::Setting::name
    std::vector<std::string> limit_flags;  // --limit
    config::Configuration configuration;  // with the flags; what follows down to `groups` comes from it
    // Values that the server started with and uses until its next start: those of settings of which `configuration`
    // has another value since it was read again.
    std::map<std::string, config::Value> used_until_next_start;

    std::string policy = "HPF";
    std::string policy_file;  // library of a policy to load; empty: none
    std::string policy_line;  // expression of a policy to make; empty: none
    std::string guest_socket;  // where to listen for containers; empty: nowhere
    int64_t idle_exit_ns = 0;  // exit after this long without a client or a tool; 0: never
    int64_t starvation_limit_ns = 0;  // 0: none
    int64_t claim_limit_ns = 0;  // likewise (sched/pattern/claim.h)
    int64_t spin_ns = 0;  // poll the doorbells for this long before sleeping
    std::string share_unit = "program";  // which queues share a device as one: those of a program, each queue, a
                                         // user's, a control group's
    bool flight_recorder = true;  // the last 30 s are kept, for xcli trace --last
    std::vector<ConfiguredLimit> limits;  // of several for the same, the last one counts
    std::vector<GroupSetting> groups;

    std::string socket;  // where to listen
    ipc::SocketScope scope = ipc::SocketScope::kUser;
    std::string log_file;  // empty: standard error
    SupervisedMemory* supervised = nullptr;  // shared with the supervisor; null: there is none
    ServiceManager* manager = nullptr;  // told about this server's state; null: the supervisor reports it
};

}  // namespace xsched::server
