// Remembers clients that left in the last minute, for tools that show the past (tool_record.cpp). Front thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>

#include "base/clock.h"
#include "server/clients/client.h"
#include "server/clients/seen_queue.h"

namespace xsched::server {

class GoneClients {
public:
    static constexpr int64_t kLongestNs = 60 * base::kSecond;
    static constexpr size_t kMost = 2048;
    static constexpr size_t kMostOfUser = 256;  // most entries of one user; the oldest go first

    struct Gone {
        uint32_t id = 0;
        int32_t pid = 0;
        uid_t uid = 0;
        uid_t user = 0;
        std::string program;
        uint32_t platform = 0;  // of its queues
        int64_t left_ns = 0;
    };

    void left(const Client& client, int64_t now_ns) {
        const uid_t user = client.user().uid();
        std::erase_if(gone_, [now_ns](const Gone& one) { return now_ns - one.left_ns > kLongestNs; });
        const auto same = [user](const Gone& one) { return one.user == user; };
        const bool many = std::count_if(gone_.begin(), gone_.end(), same) >= static_cast<std::ptrdiff_t>(kMostOfUser);
        if (many) gone_.erase(std::find_if(gone_.begin(), gone_.end(), same));
        if (gone_.size() >= kMost) gone_.pop_front();
        gone_.push_back(
            {client.id(), client.pid(), client.peer().uid, user, client.program(), platform_of(client), now_ns});
    }
    auto begin() const { return gone_.begin(); }
    auto end() const { return gone_.end(); }

private:
    std::deque<Gone> gone_;  // by time
};

}  // namespace xsched::server
