#include "policy/limits.h"

#include <algorithm>
#include <utility>

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
constexpr int64_t kAll = 10'000;

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
    const int64_t part = shared(units, passed_ns);
    for (size_t i = programs.size(); i < accounts_.size(); ++i) charge(accounts_[i], 0, passed_ns, now_ns);
    if (renewed) renew();
    int64_t again = 0;
    for (size_t i = 0; i < programs.size(); ++i) {
        Account& account = accounts_[i];
        const int32_t limit = limit_of(programs[i]);
        const bool fresh = account.limit == 0;
        if (limit == 0) account = {.id = account.id};
        account.limit = limit;
        if (limit == 0) continue;
        if (fresh) account.left_ns = allowance_ns(limit);
        if (!fresh) charge(account, programs[i].used_ns * part / kAll, passed_ns, now_ns);
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

// Returns which part of reported use counts, in parts of kAll. Programs that run side by side each report the whole
// time, but the device had it once. A use may be reported as late as a command is long, or as the next report comes:
// with kernels of 30 us that is several milliseconds, which count up to an allowance's period (docs/POLICIES.md: a
// training of PyTorch had 83 percent of its steps with a limit of 30 while only the command's length counted).
int64_t LimitsBy::shared(std::span<const Unit> units, int64_t passed_ns) {
    int64_t used_ns = 0;
    int64_t longest_ns = 0;
    for (const Program& program : programs_.all()) used_ns += program.used_ns;
    for (const Unit& unit : units) longest_ns = std::max(longest_ns, std::min(unit.command_ns, kMostWaitNs));
    could_ns_ = std::min(could_ns_, std::max(2 * longest_ns, kPeriodNs)) + passed_ns;
    const int64_t part = used_ns > could_ns_ ? could_ns_ * kAll / used_ns : kAll;
    could_ns_ -= std::min(used_ns, could_ns_);
    return part;
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

// Charges an account. Use is reported late, so use from before the limit was set does not count.
void LimitsBy::charge(Account& account, int64_t used_ns, int64_t passed_ns, int64_t now_ns) {
    if (account.limit == 0) return;
    account.could_ns += passed_ns;
    const int64_t counts_ns = std::min(used_ns, account.could_ns);
    account.could_ns -= counts_ns;
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
    const int64_t again_ns = processes_.begin_asking(units, now_ns);
    return base::earlier(again_ns, accounts_.begin_asking(units, now_ns));
}

void Limits::end_asking(std::span<Unit> units, std::span<Choice> choices) {
    accounts_.end_asking(units, choices);
    processes_.end_asking(units, choices);
}

}  // namespace xsched::policy
