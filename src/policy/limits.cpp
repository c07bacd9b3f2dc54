#include "policy/limits.h"

#include <algorithm>
#include <utility>

#include "base/time.h"

namespace xsched::policy {
namespace {

// So much may be had at once, and with so much an account that was stopped goes on: less of it would be switches, more
// would show in a second (5 percent of it are 50 ms).
constexpr int64_t kAtOnceNs = 10'000'000;
constexpr int64_t kEnoughNs = 5'000'000;
// An account that had too much, as with a long command, waits for no longer than this.
constexpr int64_t kMostWaitNs = 10'000'000'000;
// Accounts that left with a debt. Safety: a user makes accounts as he likes, and each is forgotten once it owes
// nothing.
constexpr size_t kMostGone = 256;
constexpr int64_t kAll = 10'000;

}  // namespace

int64_t Limits::begin_asking(std::span<Unit> units, int64_t now_ns) {
    const int64_t passed_ns = std::clamp<int64_t>(now_ns - std::exchange(charged_ns_, now_ns), 0, kMostWaitNs);
    const bool renewed = programs_.see(units, now_ns);
    const std::span<const Program> programs = programs_.all();
    const int64_t part = shared(units, passed_ns);
    for (size_t i = programs.size(); i < accounts_.size(); ++i) charge(accounts_[i], 0, passed_ns);
    if (renewed) renew();
    int64_t again = 0;
    for (size_t i = 0; i < programs.size(); ++i) {
        Account& account = accounts_[i];
        const int32_t limit = programs[i].limit > 0 && programs[i].limit < 100 ? programs[i].limit : 0;
        const bool fresh = account.limit == 0;
        if (limit == 0 || fresh) account = {.id = account.id, .left_ns = kAtOnceNs};
        account.limit = limit;
        if (limit == 0) continue;
        if (!fresh) charge(account, programs[i].used_ns * part / kAll, passed_ns);
        again = base::earlier(again, again_ns(account, programs[i].wants, now_ns));
    }
    wanted_.resize(units.size());
    for (size_t i = 0; i < units.size(); ++i) {
        wanted_[i] = units[i].wants ? 1 : 0;
        units[i].wants = units[i].wants && !accounts_[programs_.of(i)].stopped;
    }
    return again;
}

void Limits::end_asking(std::span<Unit> units, std::span<Choice> choices) {
    for (size_t i = 0; i < units.size(); ++i) {
        units[i].wants = wanted_[i] != 0;
        if (accounts_[programs_.of(i)].stopped) choices[i] = {.run = false, .why = Why::kLimited};
    }
}

// Programs that run side by side say that each had the device, while all of them had it once. Returns what part of it
// counts, of kAll. Use is said when a command ends: so long it may be late.
int64_t Limits::shared(std::span<const Unit> units, int64_t passed_ns) {
    int64_t used_ns = 0;
    int64_t longest_ns = 0;
    for (const Program& program : programs_.all()) used_ns += program.used_ns;
    for (const Unit& unit : units) longest_ns = std::max(longest_ns, std::min(unit.command_ns, kMostWaitNs));
    could_ns_ = std::min(could_ns_, 2 * longest_ns) + passed_ns;
    const int64_t part = used_ns > could_ns_ ? could_ns_ * kAll / used_ns : kAll;
    could_ns_ -= std::min(used_ns, could_ns_);
    return part;
}

// In the order of the programs, each with what it had; those that owe stay, though nothing of them is here.
void Limits::renew() {
    std::vector<Account> known = std::exchange(accounts_, {});
    for (Account& account : known) account.here = false;
    for (const Program& program : programs_.all()) {
        const auto found = std::find_if(known.begin(), known.end(),
                                        [&program](const Account& account) { return account.id == program.account; });
        accounts_.push_back(found != known.end() ? *found : Account{.id = program.account, .left_ns = kAtOnceNs});
        if (found != known.end()) found->here = true;
    }
    size_t gone = 0;
    for (const Account& account : known)
        if (!account.here && account.limit != 0 && account.left_ns < kAtOnceNs && gone++ < kMostGone)
            accounts_.push_back(account);
}

// Use becomes known late: what was had before there was a limit does not count.
void Limits::charge(Account& account, int64_t used_ns, int64_t passed_ns) {
    account.could_ns += passed_ns;
    const int64_t counts_ns = std::min(used_ns, account.could_ns);
    account.could_ns -= counts_ns;
    const int64_t grown_ns = account.left_ns + passed_ns * account.limit / 100 - counts_ns;
    account.left_ns = std::clamp(grown_ns, -kMostWaitNs * account.limit / 100, kAtOnceNs);
    account.stopped = account.left_ns <= 0 || (account.stopped && account.left_ns < kEnoughNs);
}

// When it may go on, or has used up what is left if the device is its own until then.
int64_t Limits::again_ns(const Account& account, bool wants, int64_t now_ns) {
    if (!wants) return 0;
    if (account.stopped) return now_ns + (kEnoughNs - account.left_ns) * 100 / account.limit;
    return now_ns + account.left_ns * 100 / (100 - account.limit);
}

}  // namespace xsched::policy
