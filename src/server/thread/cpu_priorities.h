// Reads the clients' CPU priorities from /proc once a second, while the policy needs them (CHPF), and tells the
// scheduler of changes (cpu_priority.h). Front thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "server/clients/client.h"
#include "server/thread/scheduler.h"

namespace xsched::server {

class CpuPriorities {
public:
    using Clients = std::map<uint32_t, std::unique_ptr<Client>>;

    explicit CpuPriorities(Scheduler& scheduler) : scheduler_(scheduler) {}

    void look(const Clients& clients, int64_t now_ns);
    // Returns when to read again; 0: no need.
    int64_t due_ns() const;

private:
    Scheduler& scheduler_;
    int64_t due_ns_ = 0;
};

}  // namespace xsched::server
