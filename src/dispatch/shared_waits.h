// Which processes wait for which through shared events (ipc/shared_events.h). Turns what clients report about their
// queues into edges for the scheduler core (sched/order/waits.h), user by user. Not thread-safe. Costs nothing for
// clients that share no event. Otherwise each pass that read a client goes once through the tables of its user's
// clients.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sched/order/waits.h"

namespace xsched::dispatch {

class ClientSlots;

// A use of a shared event that is not over.
struct UseUnderWay {
    uint64_t event = 0;
    uint64_t process = 0;
    int32_t priority = 0;  // priority of the queue, without what its process is lent
};

class SharedWaits {
public:
    // Notes that the client was read: its user's waits must be settled again.
    void seen(ClientSlots& client);
    void gone(ClientSlots& client);

    // Returns users whose waits must be settled; the caller empties the list.
    std::vector<uint64_t>& unsettled() { return unsettled_; }
    // Returns how much settle() reads for a user, by its clients that share events.
    uint32_t uses(uint64_t user) const;
    const std::vector<ClientSlots*>& clients(uint64_t user) const;
    // Reads the tables of the user's clients. Returns whether a lent priority, or the set of processes lent to, has
    // changed.
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
    std::vector<uint64_t> processes_;  // of one user, sorted by id
    std::vector<int32_t> most_urgent_;  // priority of the most urgent wait of each process for each process
};

}  // namespace xsched::dispatch
