// Short numbers for devices, in the order in which they are first told of, and what their vendors call them. Front
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
    static constexpr uint32_t kMostOfUser = 32;  // a client may name any device

    // Nothing: this user has told of as many as it may.
    std::optional<uint32_t> number_of(uint64_t device, uid_t user);
    // As this client says; empty: it does not. A name that another user's client gives is not passed on.
    static std::string name_of(uint64_t device, const Client& client);

private:
    std::map<uint64_t, uint32_t> known_;
    std::map<uid_t, uint32_t> told_;  // how many devices each user was the first to tell of
};

}  // namespace xsched::server
