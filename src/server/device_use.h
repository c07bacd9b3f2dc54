// Measures how much of its devices each program had in the last second, 10 and 60 seconds. Reads once a second the
// device time that queues report, while any of them reports some. Work that runs side by side counts once, within a
// program and between programs. The table lies in memory that outlives the server, if there is a supervisor. Front
// thread.
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
    static constexpr size_t kMostOfUser = kMost / 2;  // most entries of one user, since a client may name any number of
                                                      // devices

    // Counts of commands, as the program's queues report them.
    struct Given {
        uint64_t commands;
        uint64_t copies;  // of these
        uint64_t bytes;  // that were copied
    };
    // One program on one device. The entry is free again once it was not looked at for as long as samples reach back.
    struct Entry {
        uint64_t process;  // Client::process()
        uint64_t device;
        uid_t user;
        int64_t looked_at_ns;
        int64_t at_ns[kSeconds];  // time of each sample, a ring with one sample per second
        int64_t busy_ns[kSeconds];  // device time used up to each sample
        Given given[kSeconds];  // work given to the device up to each sample
    };
    Entry entries[kMost];
};

class DeviceUse {
public:
    using Clients = std::map<uint32_t, std::unique_ptr<Client>>;

    explicit DeviceUse(UseTable* kept);  // null: use memory of this object
    // Starts the looks: a program may use a device, or a tool asks. They stop by themselves ten seconds after the last
    // use and the last question: a table that is shown again and again has no gaps.
    void begin(int64_t now_ns) {
        quiet_ = 0;
        if (due_ns_ == 0) due_ns_ = now_ns;
    }
    // Looks once. Returns the clients that launched work since the last look on unwatched queues: the
    // scheduler should look at them.
    std::vector<uint32_t> look(const Clients& clients, int64_t now_ns);
    // Returns when to look again; 0: no need.
    int64_t due_ns() const { return due_ns_; }

    // Returns the percentage of the device that the program had in the last `seconds`, or since it was first seen;
    // nothing: it was not seen yet.
    std::optional<double> percent(uint64_t process, uint64_t device, int64_t seconds) const;

    // The copies that the program gave the device in the last `seconds`; nothing: it was not seen yet, or is not looked
    // at any more.
    struct Copies : UseTable::Given {
        double seconds;
    };
    std::optional<Copies> copies(uint64_t process, uint64_t device, int64_t seconds) const;

private:
    using Key = std::pair<uint64_t, uint64_t>;  // process, device
    // One queue's counters at the last look.
    struct Seen {
        int64_t busy_ns = 0;
        int64_t running_ns = 0;
        uint64_t submitted = 0;
    };
    struct Span;
    struct Use;
    using SeenQueues = std::map<std::pair<uint32_t, uint32_t>, Seen>;  // key: client and slot
    std::map<Key, Use> use_since_last_look(const Clients& clients, int64_t passed_ns);
    int64_t silent_for(const Key& key, const Use& use, int64_t passed_ns);
    void divide(std::map<Key, Use>& all, int64_t passed_ns);
    void spread(std::map<Key, Use>& all, int64_t passed_ns);
    static int64_t ran_ns(const dispatch::QueueRecord* record, const Seen& now, const Seen* before, bool uses,
                          int64_t passed_ns);
    // Books the uses. Returns whether a device was used since the last look.
    bool note(std::map<Key, Use>& all, int64_t passed_ns, int64_t now_ns);
    void add_queue(const SeenQueue& queue, int64_t passed_ns, SeenQueues& now, Use& use);
    std::optional<Span> span(const Key& key, int64_t seconds) const;
    UseTable::Entry* known_entry(const Key& key) const;
    UseTable::Entry* new_entry(const Key& key, uid_t user, int64_t now_ns);

    std::unique_ptr<UseTable> own_;
    UseTable* table_;
    std::map<Key, UseTable::Entry*> by_key_;
    SeenQueues seen_;
    std::map<Key, int64_t> silent_ns_;  // for how long a program has run and reported nothing
    std::map<uint64_t, int64_t> could_ns_;  // by device: time that passed and that no program has reported yet
    std::vector<uint32_t> unheard_;  // the clients that look() returns
    std::map<Key, int64_t> owed_ns_;  // time that was reported but is not booked yet
    int64_t looked_ns_ = 0;
    int64_t due_ns_ = 0;
    int quiet_ = 0;  // number of looks since a device was last used, or a tool asked
};

}  // namespace xsched::server
