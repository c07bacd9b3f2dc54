// The programs that were kept off in the last minute, for how long, how often, by whom and how: the dispatcher's log of
// holds (dispatch/hold_log.h) added up by program and tenth of a second. A program that is held counts once, however
// many of its queues are. Front thread.
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
    // Of what one program cost others: beyond that the oldest is forgotten, so that nobody's list takes long to add up.
    static constexpr size_t kMostDebts = 16384;
    using Clients = std::map<uint32_t, std::unique_ptr<Client>>;

    // A program's entry, kept for a minute after it left.
    struct Known {
        int32_t pid = 0;
        uid_t uid = 0;
        uid_t user = 0;
        std::string program;
        int32_t priority = 0;  // of its most urgent queue
        int64_t seen_ns = 0;
    };
    // For one cause, within some time.
    struct Sum {
        dispatch::HoldCause cause;  // with the mechanism of the last one
        uint64_t holds = 0;
        int64_t ns = 0;
        int64_t longest_ns = 0;
    };
    struct Cost {
        uint32_t client = 0;  // who was held
        Sum sum;
    };

    explicit HoldBook(const dispatch::HoldLog& log) : log_(log) {}

    // A program is kept off. It ends by itself once nobody is.
    void begin(int64_t now_ns) {
        if (due_ns_ == 0) due_ns_ = now_ns;
    }
    bool due(int64_t now_ns) const { return due_ns_ != 0 && now_ns >= due_ns_; }
    int64_t due_ns() const { return due_ns_; }  // 0: no need
    // Adds up what came. Also before anything is asked of it.
    void look(const Clients& clients, int64_t now_ns);

    // Of that client since it came.
    Sum all(uint32_t client) const;
    // Of that client in the last so long, the most time first.
    std::vector<Sum> held(uint32_t client, int64_t ns, int64_t now_ns) const;
    // Returns the delays that the program caused to others.
    std::vector<Cost> caused(uint32_t client, int64_t ns, int64_t now_ns) const;
    // Null: nobody of that number was here in the last minute, or took part in a hold.
    const Known* find(uint32_t client) const;
    uint64_t lost() const { return lost_; }

private:
    struct Entry {
        int64_t tick = 0;
        Sum sum;
    };
    // The holds of the client of that number for the sake of others.
    struct Debt {
        int64_t tick = 0;
        uint32_t victim = 0;
        Sum sum;
    };
    struct Victim {
        std::deque<Entry> entries;  // by time
        int64_t covered_ns = 0;  // what was before is in the sums
        int64_t counted_ns = 0;  // likewise of the holds that are over
    };

    void take(const dispatch::HoldPart& part);
    void note(uint32_t client, Victim& victim, int64_t tick, const Sum& sum);
    void owe(uint32_t client, int64_t tick, const Sum& sum);
    void know(const Clients& clients, uint32_t client, int64_t now_ns);
    void forget(const Clients& clients, int64_t now_ns);

    const dispatch::HoldLog& log_;
    uint64_t next_ = 0;
    uint64_t lost_ = 0;
    std::map<uint32_t, Victim> victims_;
    std::map<uint32_t, std::deque<Debt>> debts_;  // of whoever they were held for; by time, or nearly
    std::map<uint32_t, Sum> all_;
    std::map<uint32_t, Known> known_;
    int64_t due_ns_ = 0;
    int quiet_ = 0;  // looks since something came
};

}  // namespace xsched::server
