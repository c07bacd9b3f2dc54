// The programs of other users on a program's devices, of which the server tells no more than how many there are and
// how much of the devices they had. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "cli/explain/explained.h"
#include "cli/server_link.h"

namespace xsched::cli {

struct OtherUsers {
    uint64_t at_work = 0;
    double got = -1;  // percent of the devices in the last ten seconds; negative: not known

    // Returns, for example, "2 programs of other users"; empty: none is at work.
    std::string text() const;
};
OtherUsers other_users(const Json& program);

// Explains by these why the program, which was not held, is slow. `made_room`: another user's program was held for it
// lately.
void tell_other_users(const Json& answer, const Json& program, bool made_room, Explained& result);

}  // namespace xsched::cli
