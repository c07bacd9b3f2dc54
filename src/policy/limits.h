// Limits: a program, or all programs of a user or control group with a common limit, get at most that percentage of a
// device, alone or beside others, under every policy. Each account's allowance is used up by device time, and comes
// again at moments of the clock that all accounts of the machine have in common. While it is used up, the policy is
// told that the account's units want nothing, and they are kept off.
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

class Limits {
public:
    static bool limits(const Unit& unit) { return unit.limit > 0 && unit.limit < 100; }

    // Call before the policy is asked, with all units. Changes what units want until end_asking. Returns when the
    // answer may change by itself, or 0.
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

    void renew();
    int64_t shared(std::span<const Unit> units, int64_t passed_ns);
    static void charge(Account& account, int64_t used_ns, int64_t passed_ns, int64_t now_ns);
    static int64_t again_ns(const Account& account, bool wants, int64_t now_ns);

    Programs programs_{Programs::By::kAccount};
    std::vector<Account> accounts_;  // in the order of the programs, then accounts that left and owe
    std::vector<uint8_t> wanted_;
    int64_t charged_ns_ = 0;
    int64_t could_ns_ = 0;  // device time that is not attributed to an account yet
};

}  // namespace xsched::policy
