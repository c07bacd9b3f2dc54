// Sums up other users' programs on the devices that the asking user's own programs have queues on: how many use a
// device, and how much of it they had. A user is told no more about them. Front thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "server/tools/tool_commands.h"

namespace xsched::server {

class OtherUsers {
public:
    // Collects the programs that the asking user may not see.
    explicit OtherUsers(const Request& request);

    // Returns the keys of one of "devices".
    Json describe(uint64_t device) const;
    // Returns, for example, "2 programs of other users use it as well, and had 94 % of it in the last 10 s"; empty:
    // none does.
    std::string text(uint64_t device) const;

private:
    struct OnDevice {
        uint64_t at_work = 0;  // programs
        std::optional<double> got[3];  // percent of the device in the last 1, 10 and 60 s; nothing: not measured
    };
    void add(const Request& request, uint64_t process, uint64_t device, bool has_work);
    std::map<uint64_t, OnDevice> devices_;
};

}  // namespace xsched::server
