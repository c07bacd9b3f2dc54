// Which processes wait on a device for the work of which others, through events that they share. A process is lent the
// highest priority of all processes that wait for it, directly or through others. So a chain of waits passes a priority
// on, and processes that wait for each other in a circle are all as urgent as the most urgent of them. In addition a
// unit runs whenever a unit that waits for it runs on its device, whatever the policy (run_for_waiting). Queues within
// one process do the same by themselves (queue/inherit_priority.h).
//
// Pure; not thread-safe; allocates only when edges change. The cost of one user's processes does not grow with other
// users' edges, nor with more than the square of these processes.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "sched/state/pass.h"

namespace xsched::sched {

// One process waits for another. Both are named by policy::Unit::process.
struct WaitEdge {
    uint64_t waiter = 0;
    uint64_t producer = 0;
    int32_t priority = 0;  // priority of the queue that waits, without what its process is lent
    auto operator<=>(const WaitEdge&) const = default;
};

class Waits {
public:
    // A bit for each process of a group.
    using Set = uint64_t;
    // Most processes of one user; edges of further processes are ignored.
    static constexpr size_t kMostProcesses = std::numeric_limits<Set>::digits;

    // Replaces all edges among one user's processes. Processes of different users lend each other nothing. Returns
    // false if nothing changed.
    bool set(uint64_t user, std::vector<WaitEdge>& edges);

    bool any() const { return !groups_.empty(); }
    // Returns the priority that the process is lent; INT32_MIN if no other process waits for it.
    int32_t lent_to(uint64_t process) const;
    // Returns whether `waiter` waits for `producer`, directly or through others.
    bool waits_for(uint64_t waiter, uint64_t producer) const;
    // Returns whether the process waits for processes that wait for it.
    bool in_circle(uint64_t process) const { return waits_for(process, process); }

    // Lets a unit that wants to run do so if a running unit of the same device waits for it.
    void run_for_waiting(Pass& pass);

private:
    // The processes of one user that wait for each other.
    struct Group {
        uint64_t user = 0;
        std::vector<WaitEdge> edges;  // sorted
        std::vector<uint64_t> processes;  // sorted; the sets below use these positions
        std::array<Set, kMostProcesses> waiters{};  // per process: which processes wait for it, directly or through
                                                    // others
        std::array<int32_t, kMostProcesses> lent{};
        Set running = 0;  // processes with a unit that runs on the device in question

        size_t find(uint64_t process) const;
        void close();
        void lend();
    };
    struct Member {
        uint64_t process = 0;
        uint32_t group = 0;
        uint32_t at = 0;
        auto operator<=>(const Member&) const = default;
    };
    void index();
    const Member* find(uint64_t process) const;

    std::vector<Group> groups_;
    std::vector<Member> members_;  // of all groups, sorted
};

}  // namespace xsched::sched
