// Tells from the server's heartbeat whether the server still lives: how long ago, by this process's own clock, the
// number last changed. The server's clock may differ. One thread; one object for each connection.
#pragma once

#include <cstdint>
#include <utility>

#include "ipc/layout.h"

namespace xsched::agent {

class Heartbeat {
public:
    // Takes the server's present count. Returns whether the count has stood still for too long. The server counts only
    // while queues are suspended.
    bool is_lost(int64_t beat, bool suspended, int64_t now_ns) {
        const bool was_suspended = std::exchange(suspended_, suspended);
        if (std::exchange(beat_, beat) != beat || !suspended || !was_suspended) since_ns_ = now_ns;
        return now_ns - since_ns_ > ipc::kHeartbeatLostNs;
    }

private:
    int64_t beat_ = 0;
    int64_t since_ns_ = 0;
    bool suspended_ = false;
};

}  // namespace xsched::agent
