// The units of a device put together to programs, which share as one: the units of a process run or stand together and
// have one share. Where all units are of one process each is a program by itself.
//
// Pure; one object per device; not thread-safe. Sorts when units come or go, else compares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "policy/policy.h"

namespace xsched::policy {

struct Program {
    Unit unit;             // its oldest one; it wants if one does, and has the largest share and timeslice of them
    uint64_t wanting = 0;  // one of them that wants, or the first
    int64_t used_ns = 0;   // of the device, since the last decision
    int64_t most_ns = 0;   // by one of them alone
};

class Programs {
public:
    // The units as they are now. True: the programs, or their order, are others than before.
    bool see(std::span<const Unit> units, int64_t now_ns);

    std::span<const Program> all() const { return programs_; }
    // Of the unit at that place.
    const Program& of(size_t unit) const { return programs_[members_[unit].program]; }
    // Whom others make room for, for the sake of the program whose oldest unit that is.
    uint64_t wanting(uint64_t program) const;

private:
    struct Member {
        uint64_t unit = 0;
        uint64_t process = 0;
        size_t program = 0;
        int64_t busy_ns = 0;  // how much of the device it has used, as last seen
    };
    bool same_members(std::span<const Unit> units) const;
    void regroup(std::span<const Unit> units);
    void join(const Unit& unit, Member& member);

    std::vector<Program> programs_;
    std::vector<Member> members_;  // in the order of the units
    int64_t seen_ns_ = 0;
};

}  // namespace xsched::policy
