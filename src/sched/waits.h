// Which processes wait, on a device, for work of which others: through events that they share. What a process is lent
// is the highest priority of those that wait for it, themselves or through others. So a chain passes it on, and those
// who wait for each other in a circle are all as urgent as the most urgent of them. On top of that a unit runs whenever
// one of its device runs that waits for it, whatever the policy goes by (run_for_waiting). Inside a process, queues see
// to that themselves (queue/inherit_priority.h).
//
// Pure; not thread-safe; allocates only when edges change.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "sched/pass.h"

namespace xsched::sched {

// One process waits for another. Of both: policy::Unit::process.
struct WaitEdge {
    uint64_t waiter = 0;
    uint64_t producer = 0;
    int32_t priority = 0;  // of the queue that waits, without what the process is lent
    auto operator<=>(const WaitEdge&) const = default;
};

class Waits {
public:
    // All that holds now among the processes of one user, in place of what did. Processes of two users lend each other
    // nothing. False: it is the same.
    bool set(uint64_t user, std::vector<WaitEdge>& edges);

    bool any() const { return !edges_.empty(); }
    // INT32_MIN: nobody waits for it.
    int32_t lent_to(uint64_t process) const;
    // Itself or through others.
    bool waits_for(uint64_t waiter, uint64_t producer) const;
    // Whether others wait for it that it waits for itself.
    bool in_circle(uint64_t process) const { return waits_for(process, process); }

    // Units that others wait for run where one of these runs, and wants to.
    void run_for_waiting(Pass& pass);

private:
    struct Edge : WaitEdge {
        uint64_t user = 0;
    };
    struct Reach {  // the waiter waits for the producer, itself or through others
        uint64_t waiter = 0;
        uint64_t producer = 0;
        auto operator<=>(const Reach&) const = default;
    };
    struct Lent {
        uint64_t process = 0;
        int32_t priority = 0;
    };
    void close();
    void lend();

    std::vector<Edge> edges_;
    std::vector<Reach> reaches_;  // sorted
    std::vector<Lent> lent_;
    std::vector<WaitEdge> before_;
    std::vector<uint64_t> running_;  // processes with a unit that runs on the device in question, sorted
};

}  // namespace xsched::sched
