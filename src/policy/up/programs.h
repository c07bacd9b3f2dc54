// The units of a device put together to programs, which share as one: the units of a process run or are suspended
// together, so that siblings which wait for each other's events cannot deadlock. Where all units are of one process
// each is a program by itself, if the policy wants that. By account it is whoever shares as one: a process, or all of a
// user.
//
// Pure; one object per device; not thread-safe. Sorts and allocates when units come or go, else compares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/side_by_side.h"
#include "policy/policy.h"

namespace xsched::policy {

// Between two decisions a program has used no more than this, whatever it reports: what it had alone is nobody's loss.
inline constexpr int64_t kMostUsedNs = 60'000'000'000;

struct Program {
    uint64_t id = 0;  // of its oldest unit
    uint64_t account = 0;  // account_of
    uint64_t wanting = 0;  // one of its units that wants, or the first: whom others make room for
    int64_t used_ns = 0;  // of the device, since the last decision
    int64_t ready_since_ns = 0;  // of the oldest work that it has
    bool wants = false;
    bool ready = false;  // one of its units has work
    // The largest of its units', but for the limit and the target: the smallest but 0.
    int32_t utilization = 0;
    int32_t priority = PRIORITY_NO_EXECUTE;
    int32_t share = 0;
    int32_t limit = 0;
    int64_t timeslice_ns = 0;
    int64_t slo_p99 = 0;
};

class Programs {
public:
    enum class By : uint8_t {
        kProgram,  // a process; where there is one alone its units
        kProcess,
        kAccount,
    };

    explicit Programs(By by) : by_(by) {}

    static constexpr size_t kAll = SIZE_MAX;

    // The units as they are now. True: the programs, or their order, are others than before.
    bool see(std::span<const Unit> units, int64_t now_ns);
    // Lets one program use the device from now on, or all. Units that do so side by side use it once.
    void let(size_t program) { let_ = program; }

    std::span<const Program> all() const { return programs_; }
    // To which of these the unit at that place belongs.
    size_t of(size_t unit) const { return members_[unit].program; }

private:
    struct Member {
        uint64_t unit = 0;
        uint64_t key = 0;
        size_t program = 0;
        int64_t busy_ns = 0;  // how much of the device it has used, as last seen
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
