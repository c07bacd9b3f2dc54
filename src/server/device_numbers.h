// Gives devices short numbers, in the order in which clients name them first, and finds their vendors' names. Front
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "server/clients/client.h"

namespace xsched::server {

class DeviceNumbers {
public:
    static constexpr uint32_t kMostOfUser = 32;  // most devices that one user may add, since a client may name any
                                                 // number of them

    // Returns the device's number; nothing if it is new and this user has added as many as one user may.
    std::optional<uint32_t> number_of(uint64_t device, uid_t user);
    // Returns the device's name as this client tells it; empty if it tells none. A client's word counts for its own
    // user only.
    static std::string name_of(uint64_t device, const Client& client);

private:
    std::map<uint64_t, uint32_t> known_;
    std::map<uid_t, uint32_t> told_;  // number of devices that each user was the first to name
};

}  // namespace xsched::server
