// Keeps orders for a process that has not connected yet (xcli hint, config or suspend PID before its first device
// call). They take effect when the process connects. They are part of the checkpoint, so the next server knows them
// too. Front thread.
#pragma once

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include "server/checkpoint.h"
#include "server/clients/client.h"

namespace xsched::server {

class KeptOrders {
public:
    static constexpr size_t kMostOfUser = 64;
    static constexpr size_t kMostOfOrdinary = 448;  // most orders of all ordinary users together
    static constexpr size_t kMost = 512;

    explicit KeptOrders(Checkpoint& checkpoint) : checkpoint_(checkpoint) {}

    // Keeps an order for the process, on top of earlier ones: "hints" by name in the form of base/hints.h, "level",
    // "threshold", "batch_size", "held", and "owner", the process's user. Returns false if the asking user has as many
    // as one user may have. `user`: the user whose limits count (users.h).
    bool keep(pid_t pid, uid_t user, bool trusted, const nlohmann::json& order);
    // Returns whether orders are kept for that process.
    bool has(pid_t pid) const { return !of(pid).empty(); }
    // Returns whether the process will be suspended when it connects.
    bool suspends(pid_t pid) const { return of(pid).value("held", false); }
    // Returns the orders for living processes that will be suspended when they connect: "pid" and "owner" of each.
    nlohmann::json suspending() const;
    // Writes the kept orders into the client's header, before its welcome, and forgets them.
    void give(Client& client);

private:
    nlohmann::json of(pid_t pid) const;

    Checkpoint& checkpoint_;
};

// Writes the defaults of queues that the client will create: {"hints": {...}, "level": ...}.
void write_defaults(ipc::Header& header, const nlohmann::json& order);

}  // namespace xsched::server
