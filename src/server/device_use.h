// How much of its devices each program has had in the last second, ten and sixty: the device time that its queues
// report, looked at once a second while any of them does; what runs side by side counts once, in several queues of a
// program and in several programs. In memory that outlives a server, where there is a supervisor. Front thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "server/clients/client.h"
#include "server/clients/seen_queue.h"

namespace xsched::server {

struct UseTable {
    static constexpr int64_t kSeconds = 61;
    static constexpr size_t kMost = 1024;
    static constexpr size_t kMostOfUser = kMost / 2;  // a client may name any number of devices

    // As its queues count it.
    struct Given {
        uint64_t commands;
        uint64_t copies;  // of these
        uint64_t bytes;   // that were copied
    };
    // One program on one device. Free if it has not been looked at for as long as samples reach back.
    struct Entry {
        uint64_t process;  // as Client has it
        uint64_t device;
        uid_t user;
        int64_t looked_at_ns;
        int64_t at_ns[kSeconds];    // as a ring, by the second: when,
        int64_t busy_ns[kSeconds];  // what had been used by then,
        Given given[kSeconds];      // and what had been given to the device
    };
    Entry entries[kMost];
};

class DeviceUse {
public:
    using Clients = std::map<uint32_t, std::unique_ptr<Client>>;

    explicit DeviceUse(UseTable* kept);  // null: memory of its own
    // Somebody may use a device, or wants to know. It ends by itself once nobody does.
    void begin(int64_t now_ns) {
        if (due_ns_ == 0) due_ns_ = now_ns;
    }
    // Returns the clients that gave a queue work since the last look, while nothing was heard of what that queue has:
    // nobody follows it. The scheduler had better look at them.
    std::vector<uint32_t> look(const Clients& clients, int64_t now_ns);
    // 0: no need.
    int64_t due_ns() const { return due_ns_; }

    // Percent of the device in the last `seconds`, or since the program was first seen; nothing: it was not yet.
    std::optional<double> percent(uint64_t process, uint64_t device, int64_t seconds) const;

    // The copies that the program gave the device in about as long; nothing: it was not seen yet, or is not looked at
    // any more.
    struct Copies : UseTable::Given {
        double seconds;
    };
    std::optional<Copies> copies(uint64_t process, uint64_t device, int64_t seconds) const;

private:
    using Key = std::pair<uint64_t, uint64_t>;  // process, device
    // One queue, as seen in the last look.
    struct Seen {
        int64_t busy_ns = 0;
        int64_t running_ns = 0;
        uint64_t submitted = 0;
    };
    struct Span;
    struct Use;
    using SeenQueues = std::map<std::pair<uint32_t, uint32_t>, Seen>;  // by client and slot
    std::map<Key, Use> use_since_last_look(const Clients& clients, int64_t passed_ns);
    void divide(std::map<Key, Use>& all, int64_t passed_ns);
    void spread(std::map<Key, Use>& all, int64_t passed_ns);
    static int64_t ran_ns(const dispatch::QueueRecord* record, const Seen& now, const Seen* before, bool uses,
                          int64_t passed_ns);
    // Returns whether anybody has used a device since the last look.
    bool note(std::map<Key, Use>& all, int64_t passed_ns, int64_t now_ns);
    void add_queue(const SeenQueue& queue, int64_t passed_ns, SeenQueues& now, Use& use);
    std::optional<Span> span(const Key& key, int64_t seconds) const;
    UseTable::Entry* known_entry(const Key& key) const;
    UseTable::Entry* new_entry(const Key& key, uid_t user, int64_t now_ns);

    std::unique_ptr<UseTable> own_;
    UseTable* table_;
    std::map<Key, UseTable::Entry*> by_key_;
    SeenQueues seen_;
    std::map<uint64_t, int64_t> could_ns_;  // by device: how much of it there was, and nobody has said to have had
    std::vector<uint32_t> unheard_;  // as look returns them
    std::map<Key, int64_t> owed_ns_;  // said to have been had, and not noted yet
    int64_t looked_ns_ = 0;
    int64_t due_ns_ = 0;
    int quiet_ = 0;  // looks since somebody used a device
};

}  // namespace xsched::server
