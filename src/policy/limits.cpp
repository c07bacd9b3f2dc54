#include "policy/limits.h"

#include <algorithm>
#include <utility>

#include "base/capped.h"
#include "base/time.h"

namespace xsched::policy {
namespace {

// Allowances come at common moments of the machine's clock, and an account goes on at such a moment: so programs that
// wait for each other on several devices run at the same time. With allowances that grew all the time, the ranks of a
// training over NCCL could run in turns for ever (--limit 50 on two H200s, 2026-11-29). The time from one moment to the
// next is this, or twice, four times... as much, until the allowance is enough: less would cost many switches; more
// would be visible within a second (at 5 percent it is 8 ms in 160).
constexpr int64_t kPeriodNs = 20'000'000;
constexpr int64_t kEnoughNs = 5'000'000;
// An account that has used too much, for example by a long command, waits at most this long ("safety").
constexpr int64_t kMostWaitNs = 10'000'000'000;
// Most remembered accounts that left with a debt. "Safety": a user can create any number of accounts; each is forgotten
// once it owes nothing.
constexpr size_t kMostGone = 256;

int64_t period_ns(int32_t limit) {
    int64_t period = kPeriodNs;
    while (period * limit / 100 < kEnoughNs) period *= 2;
    return period;
}

// Returns how much device time an account with this limit gets at each of the common moments.
int64_t allowance_ns(int32_t limit) { return period_ns(limit) * limit / 100; }

// The most that an account can save up: an allowance that comes before the last one is used up is not lost.
int64_t most_ns(int32_t limit) { return allowance_ns(limit) + kEnoughNs; }

}  // namespace

int64_t LimitsBy::begin_asking(std::span<Unit> units, int64_t now_ns) {
    const int64_t passed_ns = std::clamp<int64_t>(now_ns - std::exchange(charged_ns_, now_ns), 0, kMostWaitNs);
    const bool renewed = programs_.see(units, now_ns);
    const std::span<const Program> programs = programs_.all();
    for (size_t i = programs.size(); i < accounts_.size(); ++i) charge(accounts_[i], 0, passed_ns, now_ns);
    if (renewed) renew();
    int64_t again = 0;
    for (size_t i = 0; i < programs.size(); ++i) {
        Account& account = accounts_[i];
        const int32_t limit = limit_of(programs[i]);
        const bool fresh = account.limit == 0;
        if (limit == 0) account = {.id = account.id, .working = account.working, .runs = account.runs};
        account.limit = limit;
        if (limit == 0) continue;
        if (fresh) account.left_ns = allowance_ns(limit);
        if (!fresh) {
            const int64_t command_ns = std::min(programs[i].command_ns, kMostWaitNs);
            let(account, command_ns, passed_ns);
            charge(account, take(account, programs[i].used_ns, command_ns), passed_ns, now_ns);
        }
        again = base::earlier(again, again_ns(account, programs[i].wants, now_ns));
    }
    wanted_.resize(units.size());
    for (size_t i = 0; i < units.size(); ++i) {
        wanted_[i] = units[i].wants ? 1 : 0;
        units[i].wants = units[i].wants && !accounts_[programs_.of(i)].stopped;
    }
    return again;
}

void LimitsBy::end_asking(std::span<Unit> units, std::span<Choice> choices) {
    for (size_t i = 0; i < units.size(); ++i) {
        units[i].wants = wanted_[i] != 0;
        if (accounts_[programs_.of(i)].stopped) choices[i] = {.run = false, .why = Why::kLimited};
    }
}

void LimitsBy::note(std::span<const Unit> units, std::span<const Choice> choices, const Programs& processes) {
    noted_.assign(processes.all().size(), 0);
    working_ = 0;
    for (Account& account : accounts_) {
        account.runs = false;
        account.working = 0;
    }
    for (size_t i = 0; i < units.size(); ++i) {
        if (!choices[i].run) continue;
        Account& account = accounts_[programs_.of(i)];
        account.runs = true;
        if (!units[i].wants || !units[i].ready || std::exchange(noted_[processes.of(i)], uint8_t{1}) != 0) continue;
        ++account.working;
        ++working_;
    }
}

bool LimitsBy::holds_limits() const {
    const auto programs = std::min(programs_.all().size(), accounts_.size());
    return std::any_of(accounts_.begin(), accounts_.begin() + static_cast<std::ptrdiff_t>(programs),
                       [](const Account& account) { return account.limit != 0; });
}

// Adds the time that the account could use since the last decision. Of processes that work side by side each reports
// the whole time, but the device had it once: each counts for an equal part. Commands in flight go on when an account
// is stopped. A use may be reported as late as a command is long, or as the next report comes: with kernels of 30 us
// that is several milliseconds, so up to an allowance's period is kept (docs/POLICIES.md: with less, a training of
// PyTorch had 83 percent of its steps with a limit of 30; with time kept in which all were stopped, 11 percent with a
// limit of 20 beside another program).
void LimitsBy::let(Account& account, int64_t command_ns, int64_t passed_ns) const {
    const int64_t in_flight_ns = 2 * command_ns;
    const int64_t own = std::max<int64_t>(account.working, 1);
    const int64_t all = working_ - account.working + own;
    account.could_ns = std::min(account.could_ns, std::max(in_flight_ns, kPeriodNs));
    if (account.runs) {
        account.could_ns += passed_ns * own / all;
        account.drain_ns = account.off_ns = 0;
        return;
    }
    account.drain_ns += std::clamp<int64_t>(in_flight_ns - account.off_ns, 0, passed_ns) * own / all;
    account.off_ns = base::capped_sum(account.off_ns, passed_ns);
}

// Returns percent; 0: none.
int32_t LimitsBy::limit_of(const Program& program) const {
    const int32_t limit = by_ == Programs::By::kAccount ? program.limit : program.process_limit;
    return Limits::is_limit(limit) ? limit : 0;
}

// Renews the list of accounts in the order of the programs; each keeps its balance. Accounts that owe stay although
// none of their units is here.
void LimitsBy::renew() {
    std::vector<Account> known = std::exchange(accounts_, {});
    for (Account& account : known) account.here = false;
    for (const Program& program : programs_.all()) {
        const uint64_t id = id_of(program);
        const auto found =
            std::find_if(known.begin(), known.end(), [id](const Account& account) { return account.id == id; });
        accounts_.push_back(found != known.end() ? *found : Account{.id = id});
        if (found != known.end()) found->here = true;
    }
    size_t gone = 0;
    for (const Account& account : known)
        if (!account.here && account.limit != 0 && account.left_ns < most_ns(account.limit) && gone++ < kMostGone)
            accounts_.push_back(account);
}

// Returns how much of a reported use counts: what the account could have, and a command in advance, since a whole
// command is reported at once. Use from before the limit was set does not count.
int64_t LimitsBy::take(Account& account, int64_t used_ns, int64_t command_ns) {
    const int64_t most_ns = std::max<int64_t>(account.could_ns + account.drain_ns + command_ns, 0);
    const int64_t counts_ns = std::min(used_ns, most_ns);
    const int64_t drained_ns =
        std::clamp<int64_t>(counts_ns - std::max<int64_t>(account.could_ns, 0), 0, account.drain_ns);
    account.drain_ns -= drained_ns;
    account.could_ns -= counts_ns - drained_ns;
    return counts_ns;
}

// Charges an account for the use that counts.
void LimitsBy::charge(Account& account, int64_t counts_ns, int64_t passed_ns, int64_t now_ns) {
    if (account.limit == 0) return;
    const int64_t period = period_ns(account.limit);
    const int64_t moments = now_ns / period - (now_ns - passed_ns) / period;
    const int64_t left_ns = account.left_ns + moments * allowance_ns(account.limit) - counts_ns;
    account.left_ns = std::clamp(left_ns, -kMostWaitNs * account.limit / 100, most_ns(account.limit));
    account.stopped = account.left_ns <= 0;
}

// Returns when the account may go on, or when it will have used up its allowance if it has the device alone until then.
int64_t LimitsBy::again_ns(const Account& account, bool wants, int64_t now_ns) {
    if (!wants) return 0;
    if (!account.stopped) return now_ns + account.left_ns;
    const int64_t period = period_ns(account.limit);
    const int64_t moments = -account.left_ns / allowance_ns(account.limit) + 1;
    return (now_ns / period + moments) * period;
}

int64_t Limits::begin_asking(std::span<Unit> units, int64_t now_ns) {
    const int64_t of_processes_ns = processes_.begin_asking(units, now_ns);
    return base::earlier(of_processes_ns, accounts_.begin_asking(units, now_ns));
}

void Limits::end_asking(std::span<Unit> units, std::span<Choice> choices) {
    accounts_.end_asking(units, choices);
    processes_.end_asking(units, choices);
    accounts_.note(units, choices, processes_.programs());
    processes_.note(units, choices, processes_.programs());
}

}  // namespace xsched::policy
