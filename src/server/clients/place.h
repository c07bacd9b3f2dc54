// A place: a container, as a rule, in which a uid does not tell who a peer is (identities.h). Front thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>

namespace xsched::server {

// The numbers for users of one place: from Identities::kFirstApart + 256 * block on. The first is that of the place's
// uid 0, and of its account.
struct Place {
    std::string name;  // "pid namespace 4026532567"
    uint32_t block = 0;
    std::map<uid_t, uid_t> numbers;
    int64_t seen_ns = 0;
};

}  // namespace xsched::server
