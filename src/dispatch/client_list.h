// Clients in a list of the dispatcher, each at most once. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "dispatch/client_slots.h"

namespace xsched::dispatch {

class ClientList {
public:
    // `place`: the member in which a client keeps its position.
    explicit ClientList(uint32_t ClientSlots::Listed::* place) : place_(place) {}

    // Makes room for this many clients, so that add() allocates nothing.
    void make_room(size_t clients) {
        if (clients_.capacity() < clients) clients_.reserve(2 * clients);
    }
    void add(ClientSlots& client) {
        uint32_t& at = client.listed.*place_;
        if (at != base::kNowhere) return;
        at = static_cast<uint32_t>(clients_.size());
        clients_.push_back(&client);
    }
    // Removes a client; the last one takes its place.
    void remove(ClientSlots& client) {
        const uint32_t at = std::exchange(client.listed.*place_, base::kNowhere);
        if (at == base::kNowhere) return;
        ClientSlots* last = clients_.back();
        clients_.pop_back();
        if (last != &client) put(at, *last);
    }
    void set(ClientSlots& client, bool is_in) { is_in ? add(client) : remove(client); }
    // Keeps the clients for which `stays` is true, in order.
    template <typename Stays>
    void keep(Stays stays) {
        uint32_t kept = 0;
        for (ClientSlots* client : clients_) {
            if (stays(*client))
                put(kept++, *client);
            else
                client->listed.*place_ = base::kNowhere;
        }
        clients_.resize(kept);
    }
    // Calls `Do` for at most this many clients. Each call continues behind the last, until all have had their turn.
    template <typename Do>
    void some(size_t most, Do act) {
        for (size_t count = std::min(most, clients_.size()); count > 0; --count) {
            next_ = next_ + 1 < clients_.size() ? next_ + 1 : 0;
            act(*clients_[next_]);
        }
    }
    bool empty() const { return clients_.empty(); }
    size_t size() const { return clients_.size(); }
    auto begin() const { return clients_.begin(); }
    auto end() const { return clients_.end(); }

private:
    void put(uint32_t at, ClientSlots& client) {
        clients_[at] = &client;
        client.listed.*place_ = at;
    }

    uint32_t ClientSlots::Listed::* place_;
    std::vector<ClientSlots*> clients_;
    size_t next_ = 0;
};

}  // namespace xsched::dispatch
