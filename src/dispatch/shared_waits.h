// Which processes wait for which through events that they share (ipc/shared_events.h): what clients tell of their
// queues, made into edges for the scheduler core (sched/order/waits.h), user by user. Not thread-safe. Costs nothing
// for clients that share no event; else what the tables of one user's clients hold, once for each pass that read one.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sched/order/waits.h"

namespace xsched::dispatch {

class ClientSlots;

// A use that is not over.
struct UseUnderWay {
    uint64_t event = 0;
    uint64_t process = 0;
    int32_t priority = 0;  // the queue's, without what its process is lent
};

class SharedWaits {
public:
    // The client was read: what its user's clients wait for must be settled anew.
    void seen(ClientSlots& client);
    void gone(ClientSlots& client);

    // Users to be settled; the caller empties it.
    std::vector<uint64_t>& unsettled() { return unsettled_; }
    // Of a user: how much settle() reads, and the clients that share events.
    uint32_t uses(uint64_t user) const;
    const std::vector<ClientSlots*>& clients(uint64_t user) const;
    // Reads the tables of the user's clients. True: others are lent to than before, or have another priority for it.
    bool settle(uint64_t user, sched::Waits& waits);

private:
    struct User {
        std::vector<ClientSlots*> clients;
        uint32_t uses = 0;
        bool unsettled = false;
    };
    void unsettle(uint64_t id, User& user);
    void find_edges(const std::vector<ClientSlots*>& clients);

    std::unordered_map<uint64_t, User> users_;
    std::vector<uint64_t> unsettled_;
    std::vector<UseUnderWay> records_, waits_;
    std::vector<sched::WaitEdge> edges_;
    std::vector<uint64_t> processes_;  // of one user, sorted
    std::vector<int32_t> most_urgent_;  // of what each of them waits for of each
};

}  // namespace xsched::dispatch
