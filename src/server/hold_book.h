// Tells which programs were kept off in the last minute: for how long, how often, for whom and how. Adds up the
// dispatcher's log of holds (dispatch/hold_log.h) by program and tenth of a second. A program with several queues that
// are held counts once. Front thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "dispatch/hold_log.h"
#include "server/clients/client.h"

namespace xsched::server {

class HoldBook {
public:
    static constexpr int64_t kLongestNs = 60 * base::kSecond;
    // Most parts that are kept of the delays that one program caused; older ones are forgotten ("safety": adding up the
    // list stays short).
    static constexpr size_t kMostDebts = 16384;
    using Clients = std::map<uint32_t, std::unique_ptr<Client>>;

    // The facts about a program; kept for a minute after it left.
    struct Known {
        int32_t pid = 0;
        uid_t uid = 0;
        uid_t user = 0;
        std::string program;
        int32_t priority = 0;  // priority of its most urgent queue, as it counts
        int64_t seen_ns = 0;
    };
    // The holds of one cause within some time.
    struct Sum {
        dispatch::HoldCause cause;  // with the mechanism of the newest hold
        uint64_t holds = 0;
        int64_t ns = 0;
        int64_t longest_ns = 0;
        int64_t end_ns = 0;  // of the newest part of one
        bool earlier_policy = false;  // decided by a policy that is no longer in force
    };
    struct Cost {
        uint32_t client = 0;  // who was held
        Sum sum;
    };

    explicit HoldBook(const dispatch::HoldLog& log) : log_(log) {}

    // Starts the regular reading of the log of holds, since a program is kept off. It stops by itself once no program
    // is.
    void begin(int64_t now_ns) {
        if (due_ns_ == 0) due_ns_ = now_ns;
    }
    bool due(int64_t now_ns) const { return due_ns_ != 0 && now_ns >= due_ns_; }
    int64_t due_ns() const { return due_ns_; }  // 0: no need
    // Adds up what the log has new. May be called before any question is asked.
    void look(const Clients& clients, int64_t now_ns);

    // Returns all holds of that client since it connected.
    Sum all(uint32_t client) const;
    // Returns that client's holds of the last `ns` by cause: those under the policy in force, then earlier ones, each
    // with the longest first.
    std::vector<Sum> held(uint32_t client, int64_t ns, int64_t now_ns) const;
    // Returns the delays that the program caused to others.
    std::vector<Cost> caused(uint32_t client, int64_t ns, int64_t now_ns) const;
    // Returns what is known of the client of that number; null if it was not here in the last minute, and took part in
    // no hold.
    const Known* find(uint32_t client) const;
    uint64_t lost() const { return lost_; }

private:
    struct Entry {
        int64_t tick = 0;
        Sum sum;
    };
    // One part of a hold of another client that this client caused.
    struct Debt {
        int64_t tick = 0;
        uint32_t victim = 0;
        Sum sum;
    };
    struct Victim {
        std::deque<Entry> entries;  // by time
        int64_t covered_ns = 0;  // earlier parts of it are in the sums already
        int64_t counted_ns = 0;  // number of its ended holds that are in the sums already
    };

    bool is_same(const Sum& one, const Sum& other) const;
    void take(const dispatch::HoldPart& part);
    void note(uint32_t client, Victim& victim, int64_t tick, const Sum& sum);
    void owe(uint32_t client, int64_t tick, const Sum& sum);
    void know(const Clients& clients, uint32_t client, int64_t now_ns);
    void forget(const Clients& clients, int64_t now_ns);

    const dispatch::HoldLog& log_;
    uint64_t next_ = 0;
    uint64_t lost_ = 0;
    std::map<uint32_t, Victim> victims_;
    std::map<uint32_t, std::deque<Debt>> debts_;  // by the client that caused the delay; in order of time, or nearly
    std::map<uint32_t, Sum> all_;
    std::map<uint32_t, Known> known_;
    int64_t due_ns_ = 0;
    int quiet_ = 0;  // number of looks since the log had anything new
};

}  // namespace xsched::server
