// The units of a device put together to programs, which share as one: the units of a process run or stand together and
// have one share. Where all units are of one process each is a program by itself.
//
// Pure; one object per device; not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "policy/policy.h"

namespace xsched::policy {

struct Program {
    Unit unit;             // its first one; it wants if one does, and has the largest share and timeslice of them
    uint64_t wanting = 0;  // one of them that wants, or the first
    int64_t used_ns = 0;   // of the device, since the last decision
    int64_t most_ns = 0;   // by one of them alone
};

class Programs {
public:
    // The units as they are now.
    void see(std::span<const Unit> units, int64_t now_ns);

    std::span<const Program> all() const { return programs_; }
    // Of the unit at that place.
    const Program& of(size_t unit) const { return programs_[program_of_[unit]]; }
    // Whom others make room for, for the sake of the program whose first unit that is.
    uint64_t wanting(uint64_t program) const;

private:
    struct Use {  // how much of the device a unit has used, as last seen
        uint64_t unit = 0;
        int64_t busy_ns = 0;
        bool here = false;
    };
    Program& program_of(const Unit& unit, bool one_process);
    int64_t used_by(const Unit& unit);

    std::vector<Program> programs_;
    std::vector<size_t> program_of_;
    std::vector<Use> uses_;
    int64_t seen_ns_ = 0;
};

}  // namespace xsched::policy
