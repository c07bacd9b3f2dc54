// Which processes wait, on a device, for work of which others: through events that they share. A process is lent the
// highest priority of those that wait for it, themselves or through others. So a chain passes it on, and those who wait
// for each other in a circle are all as urgent as the most urgent of them. On top of that a unit runs whenever one of
// its device runs that waits for it, whatever the policy goes by (run_for_waiting). Inside a process, queues see to
// that themselves (queue/inherit_priority.h).
//
// Pure; not thread-safe; allocates only when edges change. The cost of one user's processes does not grow with other
// users' edges, nor with more than the square of these processes.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <utility>
#include <vector>

#include "sched/state/pass.h"

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
    // Of one user; edges of further ones are left out.
    static constexpr size_t kMostProcesses = 64;

    // All that holds now among the processes of one user, in place of what did. Processes of two users lend each other
    // nothing. False: it is the same.
    bool set(uint64_t user, std::vector<WaitEdge>& edges);

    bool any() const { return !groups_.empty(); }
    // INT32_MIN: nobody waits for it.
    int32_t lent_to(uint64_t process) const;
    // Itself or through others.
    bool waits_for(uint64_t waiter, uint64_t producer) const;
    // Whether others wait for it that it waits for itself.
    bool in_circle(uint64_t process) const { return waits_for(process, process); }

    // Units that others wait for run where one of these runs, and wants to.
    void run_for_waiting(Pass& pass);

private:
    // A bit for each process of a group.
    using Set = uint64_t;
    // The processes of one user that wait for each other.
    struct Group {
        uint64_t user = 0;
        std::vector<WaitEdge> edges;  // sorted
        std::vector<uint64_t> processes;  // sorted; what follows goes by position
        std::array<Set, kMostProcesses> waiters{};  // that wait for it, themselves or through others
        std::array<int32_t, kMostProcesses> lent{};
        Set running = 0;  // with a unit that runs on the device in question

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
