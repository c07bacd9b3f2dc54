// Orders for a process that has not connected yet (xcli hint, config, suspend PID before its first device call).
// It is in force from the process's handshake on. Kept in the checkpoint: a server after this one knows it too. Front
// thread.
#pragma once

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include "server/checkpoint.h"
#include "server/clients/client.h"

namespace xsched::server {

class KeptOrders {
public:
    static constexpr size_t kMostOfUser = 64;
    static constexpr size_t kMostOfOrdinary = 448;  // of all of these together
    static constexpr size_t kMost = 512;

    explicit KeptOrders(Checkpoint& checkpoint) : checkpoint_(checkpoint) {}

    // Adds to earlier orders for the process: "hints" by name, as they are kept (base/hints.h), "level",
    // "threshold", "batch_size", "held". False: the asking user has as many as it may. `user`: whose limits count
    // (users.h).
    bool keep(pid_t pid, uid_t user, bool trusted, const nlohmann::json& order);
    // Whether something waits for that process.
    bool has(pid_t pid) const;
    // Before the client's welcome: writes what is there of it into its header, and forgets it.
    void give(Client& client);

private:
    Checkpoint& checkpoint_;
};

// For queues that the client makes later: {"hints": {...}, "level": ...}.
void write_defaults(ipc::Header& header, const nlohmann::json& order);

}  // namespace xsched::server
