// Where peers are whose uid says nothing of who they are: a container, as a rule (identities.h). Front thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>

namespace xsched::server {

// The numbers that the users of one place share. The numbers of a place are Identities::kFirstApart + 256 * block on;
// the first is that of its uid 0, and of its account.
struct Place {
    std::string name;  // "pid namespace 4026532567"
    uint32_t block = 0;
    std::map<uid_t, uid_t> numbers;
    int64_t seen_ns = 0;
};

}  // namespace xsched::server
