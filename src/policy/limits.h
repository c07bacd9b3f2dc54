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

private:
    struct Account {
        uint64_t id = 0;
        int32_t limit = 0;  // percent; 0: none
        int64_t left_ns = 0;  // allowance left; below zero: debt
        int64_t could_ns = 0;  // device time since the limit was set that is not charged yet, at most
        bool stopped = false;
        bool here = false;
    };

    uint64_t id_of(const Program& program) const {
        return by_ == Programs::By::kAccount ? program.account : program.process;
    }
    int32_t limit_of(const Program& program) const;
    void renew();
    int64_t shared(std::span<const Unit> units, int64_t passed_ns);
    static void charge(Account& account, int64_t used_ns, int64_t passed_ns, int64_t now_ns);
    static int64_t again_ns(const Account& account, bool wants, int64_t now_ns);

    Programs programs_;
    Programs::By by_;
    std::vector<Account> accounts_;  // in the order of the programs, then accounts that left and owe
    std::vector<uint8_t> wanted_;
    int64_t charged_ns_ = 0;
    int64_t could_ns_ = 0;  // device time that is not attributed to an account yet
};

class Limits {
public:
    static bool is_limit(int32_t percent) { return percent > 0 && percent < 100; }
    static bool limits(const Unit& unit) { return is_limit(unit.limit) || is_limit(unit.process_limit); }

    // Call before the policy is asked, with all units. Changes what units want until end_asking. Returns when the
    // answer may change by itself, or 0.
    int64_t begin_asking(std::span<Unit> units, int64_t now_ns);
    void end_asking(std::span<Unit> units, std::span<Choice> choices);

private:
    LimitsBy processes_{Programs::By::kProcess};
    LimitsBy accounts_{Programs::By::kAccount};
};

}  // namespace xsched::policy
