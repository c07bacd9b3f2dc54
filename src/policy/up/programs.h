// The units of a device grouped into programs, which share as one. The units of a process run or are suspended
// together, so that queues which wait for each other's events cannot deadlock. If all units belong to one process, each
// is a program by itself if the policy wants that. By account a program is whatever shares as one: a process, or all
// processes of a user.
//
// Pure; one object per device; not thread-safe. Sorts and allocates when units come or go, otherwise only compares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/side_by_side.h"
#include "policy/policy.h"

namespace xsched::policy {

// Between two decisions a program is charged for at most this, whatever it reports: nothing is lost if it was alone for
// longer.
inline constexpr int64_t kMostUsedNs = 60'000'000'000;

struct Program {
    uint64_t id = 0;  // id of its oldest unit
    uint64_t account = 0;  // account_of
    uint64_t process = 0;  // of its first unit
    uint64_t wanting = 0;  // a unit of it that wants the device, or its first: the one that others make room for
    int64_t used_ns = 0;  // device time since the last decision
    int64_t ready_since_ns = 0;  // begin of its oldest work
    int64_t command_ns = 0;  // mean length of its longest commands
    bool wants = false;
    bool ready = false;  // one of its units has work
    // The program's values: the largest among its units; of limits and targets the smallest that is not 0.
    int32_t utilization = 0;
    int32_t priority = PRIORITY_NO_EXECUTE;
    int32_t share = 0;
    int32_t limit = 0;
    int32_t process_limit = 0;
    int64_t timeslice_ns = 0;
    int64_t slo_p99 = 0;
};

class Programs {
public:
    enum class By : uint8_t {
        kProgram,  // by process; if there is only one, by unit
        kProcess,
        kAccount,
    };

    explicit Programs(By by) : by_(by) {}

    static constexpr size_t kAll = SIZE_MAX;

    // Takes in the units. Returns true if the programs or their order have changed.
    bool see(std::span<const Unit> units, int64_t now_ns);
    // Notes which program has the device from now on; kAll: all have it. If several units of a program
    // use the device side by side, see() counts that time once.
    void let(size_t program) { let_ = program; }

    std::span<const Program> all() const { return programs_; }
    // Returns the program of the unit at that place.
    size_t of(size_t unit) const { return members_[unit].program; }

private:
    struct Member {
        uint64_t unit = 0;
        uint64_t key = 0;
        size_t program = 0;
        int64_t busy_ns = 0;  // its device time when last seen
        base::SideBySide::Part part;
    };
    uint64_t key_of(const Unit& unit) const { return by_ == By::kAccount ? account_of(unit) : unit.process; }
    bool same_members(std::span<const Unit> units) const;
    void regroup(std::span<const Unit> units);
    void join(const Unit& unit, Member& member);

    By by_;
    std::vector<Program> programs_;
    std::vector<base::SideBySide> uses_;  // of these
    size_t let_ = kAll;
    std::vector<Member> members_;  // in the order of the units
    int64_t seen_ns_ = 0;
};

}  // namespace xsched::policy
