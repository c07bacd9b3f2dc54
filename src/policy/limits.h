// Limits: a program, or all programs of a user or control group with a common limit, get at most that percentage of a
// device, alone or beside others, under every policy. A program with a limit of its own under a user's or group's keeps
// both. Each account's allowance is used up by device time, and comes again at moments of the clock that all accounts
// of the machine have in common. While it is used up, the policy is told that the account's units want nothing, and
// they are kept off.
//
// One object per device; not thread-safe. Allocates only when units come or go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "policy/policy.h"
#include "policy/up/programs.h"

namespace xsched::policy {

// The limits of accounts, or of processes, on one device.
class LimitsBy {
public:
    explicit LimitsBy(Programs::By by) : programs_(by), by_(by) {}

    int64_t begin_asking(std::span<Unit> units, int64_t now_ns);
    void end_asking(std::span<Unit> units, std::span<Choice> choices);
    // Notes who has the device from now on. Call after all limits have answered. `processes`: the units by process.
    void note(std::span<const Unit> units, std::span<const Choice> choices, const Programs& processes);
    bool holds_limits() const;
    const Programs& programs() const { return programs_; }

private:
    struct Account {
        uint64_t id = 0;
        int32_t limit = 0;  // percent; 0: none
        int64_t left_ns = 0;  // allowance left; below zero: debt
        int64_t could_ns =
            0;  // device time since the limit was set that is not charged yet, at most; below zero: charged in advance
        int64_t drain_ns = 0;  // likewise while it is kept off, of commands in flight
        int64_t off_ns = 0;  // for how long it is kept off by now
        int64_t working = 0;  // processes of it that may run and have work
        bool stopped = false;
        bool runs = false;
        bool here = false;
    };

    uint64_t id_of(const Program& program) const {
        return by_ == Programs::By::kAccount ? program.account : program.process;
    }
    int32_t limit_of(const Program& program) const;
    void renew();
    void let(Account& account, int64_t command_ns, int64_t passed_ns) const;
    static int64_t take(Account& account, int64_t used_ns, int64_t command_ns);
    static void charge(Account& account, int64_t counts_ns, int64_t passed_ns, int64_t now_ns);
    static int64_t again_ns(const Account& account, bool wants, int64_t now_ns);

    Programs programs_;
    Programs::By by_;
    std::vector<Account> accounts_;  // in the order of the programs, then accounts that left and owe
    std::vector<uint8_t> wanted_;
    std::vector<uint8_t> noted_;  // processes whose work note() has counted
    int64_t charged_ns_ = 0;
    int64_t working_ = 0;  // processes of all accounts that may run and have work
};

class Limits {
public:
    static bool is_limit(int32_t percent) { return percent > 0 && percent < 100; }
    static bool limits(const Unit& unit) { return is_limit(unit.limit) || is_limit(unit.process_limit); }
    // Returns whether a program had a limit when the limits were last asked. Ask once more after the last limit was
    // taken back: otherwise what is used until there is one again would be charged.
    bool holds_limits() const { return processes_.holds_limits() || accounts_.holds_limits(); }

    // Call before the policy is asked, with all units. Changes what units want until end_asking. Returns when the
    // answer may change by itself, or 0.
    int64_t begin_asking(std::span<Unit> units, int64_t now_ns);
    void end_asking(std::span<Unit> units, std::span<Choice> choices);

private:
    LimitsBy processes_{Programs::By::kProcess};
    LimitsBy accounts_{Programs::By::kAccount};
};

}  // namespace xsched::policy
