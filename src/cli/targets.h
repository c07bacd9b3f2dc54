// The targets of an order: processes by number or name, queues, all of a device, all. The main thread.
#pragma once

#include <string>
#include <vector>

#include "cli/server_link.h"

namespace xsched::cli {

struct Target {
    std::vector<std::string> who;     // numbers of processes, or parts of programs' names
    std::vector<std::string> queues;  // "PID.NUMBER", or a number or handle with one process
    std::string device;               // its number, or a part of its name; empty: any
    bool all = false;

    bool empty() const { return who.empty() && queues.empty() && device.empty() && !all; }
};

// The members "pid" and "queue" of one request each. Names are looked up at the server. Throws Failure if there is
// nobody of a name, or if a word makes no sense. Empty: the target is.
std::vector<Json> requests_of(ServerLink& link, const Target& target);
// "pid 17", "queue 17.2"
std::string name_of(const Json& request);

}  // namespace xsched::cli
