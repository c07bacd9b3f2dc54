// The targets of an order: processes by number or name, queues, all queues of a device, or all. The main thread.
#pragma once

#include <string>
#include <vector>

#include "cli/server_link.h"

namespace xsched::cli {

struct Target {
    std::vector<std::string> who;     // process numbers, or parts of programs' names
    std::vector<std::string> queues;  // "PID.NUMBER"; with a single process also a number or handle
    std::string device;               // a device's number, or part of its name; empty: any
    bool all = false;

    bool empty() const { return who.empty() && queues.empty() && device.empty() && !all; }
};

// Returns one request ("pid" and "queue") for each target; none if there is no target. Asks the server for names.
// Throws Failure if no program has a name, or a word cannot be understood.
std::vector<Json> requests_of(ServerLink& link, const Target& target);
// Returns the target's name for messages: "pid 17", "queue 17.2".
std::string name_of(const Json& request);

}  // namespace xsched::cli
