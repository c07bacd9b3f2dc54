#include "policy/up/partition.h"

#include <algorithm>
#include <utility>

#include "base/capped.h"
#include "base/time.h"

namespace xsched::policy {

namespace {

constexpr int64_t kLeastTurnNs = 100'000;
// Longest turn, unless the timeslice is longer. Programs of more weight get more turns instead of longer ones.
constexpr int64_t kMostTurnNs = 10'000'000;
// Longest pause through which a turn goes on: a program that waits for its own work pauses for a moment.
constexpr int64_t kPauseNs = 300'000;
// Most allowance under a limit that can be saved up. A program that has used too much waits until it has repaid at most
// this much.
constexpr int64_t kAtOnceNs = 2 * kMostTurnNs;
constexpr int64_t kMostDebtNs = 10'000'000'000;
// Largest use that an account can have: a program that reports ever more stays there. If the sum overflowed, that
// program would appear to have used the least.
constexpr int64_t kMostPaid = INT64_MAX / 4;

// Returns the allowance with which a program stopped by its limit goes on. Less would cost too many switches, one for
// each turn.
int64_t enough_ns(const Program& program) { return std::min(program.timeslice_ns, kMostTurnNs) / 2; }

}  // namespace

int64_t Partition::choose(std::span<const Unit> units, int64_t now_ns, std::span<Choice> choices) {
    if (units.empty()) return 0;
    Device& device = device_of(units[0].device);
    const bool renewed = device.programs.see(units, now_ns);
    if (renewed) renew_accounts(device);
    rules_.see(device.programs.all(), renewed, now_ns);
    rules_.weigh(device.programs.all(), device.weights);
    charge(device, now_ns);
    welcome(device);
    int64_t first_again_ns = 0;
    const size_t first = rules_.has_first() ? first_of(device, now_ns, first_again_ns) : kNobody;
    Wishes wishes = wishes_of(device, now_ns);
    const bool pauses = see_pause(device, wishes, now_ns);
    if (device.current != 0 && wishes.current_here == kNobody) {  // the program is gone, or has used what its limit
                                                                  // allows
        end_turn(device, now_ns);
        device.current = 0;
    }
    if (let_first_go(device, wishes, first, now_ns)) {
        // The paused program keeps its turn, whichever program has had less.
    } else if (wishes.lender != kNobody) {
        device.current = std::exchange(device.lender, 0);
        wishes.current = wishes.lender;
        restart(device, now_ns, device.lent_ns);
    } else if (wishes.next != kNobody && (now_ns >= device.until_ns || (wishes.current == kNobody && !pauses))) {
        lend(device, wishes, now_ns);
        wishes.current = wishes.next;
        begin_turn(device, wishes, now_ns);
    } else if (wishes.current == kNobody) {
        wishes.current = wishes.current_here;
    }
    answer(device, wishes, choices);
    device.programs.let(wishes.next == kNobody ? Programs::kAll : wishes.current);
    rules_.decided(wishes.next == kNobody ? kNobody : wishes.current);
    return base::earlier(first_again_ns, again_ns(device, wishes, pauses, now_ns));
}

Partition::Device& Partition::device_of(uint64_t id) {
    const auto found = devices_.find(id);
    return found != devices_.end() ? found->second : devices_.emplace(id, Device(id, rules_.by())).first->second;
}

// Renews the accounts in the order of the programs; each keeps its balance.
void Partition::renew_accounts(Device& device) {
    std::vector<Account> known = std::move(device.accounts);
    const auto by_id = [](const Account& a, const Account& b) { return a.id < b.id; };
    std::sort(known.begin(), known.end(), by_id);
    device.accounts.clear();
    for (const Program& program : device.programs.all()) {
        const Account fresh{.id = program.id, .account = program.account};
        const auto found = std::lower_bound(known.begin(), known.end(), fresh, by_id);
        device.accounts.push_back(found != known.end() && found->id == fresh.id ? *found : fresh);
        if (!device.accounts.back().came) take_up(device, device.accounts.back());
    }
    device.weights.assign(device.accounts.size(), Weight{});
    device.can_wait.assign(device.accounts.size(), 0);
    device.others.reserve(device.accounts.size());
}

// Takes over the account that the program had under the previous policy, or the server before this one.
void Partition::take_up(const Device& device, Account& account) {
    const auto taken = std::find_if(taken_over_.begin(), taken_over_.end(), [&](const Ahead& ahead) {
        return ahead.device == device.id && ahead.account == account.account;
    });
    if (taken == taken_over_.end()) return;
    account.ahead_ns = taken->ns;
    taken_over_.erase(taken);
}

// Charges every program for the device time used since the last decision. Allowances under limits grow with time.
void Partition::charge(Device& device, int64_t now_ns) const {
    const std::span<const Program> programs = device.programs.all();
    const int64_t passed_ns = std::min(now_ns - std::exchange(device.refilled_ns, now_ns), kMostDebtNs);
    for (size_t i = 0; i < programs.size(); ++i) {
        const Program& program = programs[i];
        Account& account = device.accounts[i];
        int64_t used_ns = program.used_ns;
        // Device time from before the limit was set does not count against the limit, however late that time is
        // reported.
        const int64_t before = std::exchange(account.limit, device.weights[i].limit);
        const int64_t limit = before != 0 ? before : account.limit;
        if (used_ns == 0 && limit >= Weight::kNoLimit && program.id != device.current) {
            account.left_ns = kAtOnceNs;  // the usual case: no limit, and nothing used
            account.limited_ns = 0;
            account.stopped = false;
            continue;
        }
        account.limited_ns += limit < Weight::kNoLimit ? passed_ns : 0;
        if (used_ns != 0) correct(device, used_ns, now_ns);
        if (program.id == device.current && account.wanted) {
            device.turn.used_ns = std::min(device.turn.used_ns + used_ns, kMostUsedNs);
            const int64_t due_ns = device.turn.due_ns(now_ns, rules_.idle_share());
            used_ns = due_ns - std::exchange(device.turn.paid_ns, due_ns);
        } else {
            device.turn.others_ns += std::min(used_ns, now_ns - device.turn.begin_ns);
        }
        if (used_ns != 0) pay(device, i, used_ns);
        if (limit >= Weight::kNoLimit) {
            account.left_ns = kAtOnceNs;
            account.limited_ns = 0;
            account.stopped = false;
            continue;
        }
        const int64_t left_ns = account.left_ns + passed_ns * limit / Weight::kNoLimit;
        account.left_ns = std::clamp(left_ns, -kMostDebtNs * limit / Weight::kNoLimit, kAtOnceNs);
        account.stopped = account.left_ns <= 0 || (account.stopped && account.left_ns < enough_ns(program));
    }
}

void Partition::pay(Device& device, size_t at, int64_t used_ns) const {
    Account& account = device.accounts[at];
    account.paid = std::min(account.paid + used_ns * rules_.unit() / device.weights[at].weight, kMostPaid);
    const int64_t counts_ns = std::min(used_ns, account.limited_ns);
    account.limited_ns -= counts_ns;
    account.left_ns -= counts_ns;
}

// Corrects the charge of past turns, now that the device is known to have been used for `used_ns`: the program that had
// the turn did not leave it idle.
void Partition::correct(Device& device, int64_t used_ns, int64_t now_ns) const {
    const int64_t since_ns = now_ns - used_ns;
    for (size_t k = 0; k < std::min(device.turns_ended, kTurns); ++k) {
        Turn& turn = device.turns[(device.turns_ended - 1 - k) % kTurns];
        if (turn.end_ns <= since_ns) return;
        const int64_t before_ns = turn.paid_ns;
        turn.others_ns += turn.end_ns - std::max(turn.begin_ns, since_ns);
        turn.paid_ns = std::min(before_ns, turn.due_ns(turn.end_ns, rules_.idle_share()));
        if (turn.paid_ns == before_ns) continue;
        for (size_t i = 0; i < device.accounts.size(); ++i)
            if (device.accounts[i].id == turn.id) pay(device, i, turn.paid_ns - before_ns);
    }
}

// Sets the balance of programs that come. A new one starts with the least that a waiting program has paid, a returning
// one a little below: credit for time in which it did not ask. A program stopped by its limit asks for nothing. If all
// rest, the last such minimum counts, but no more than any present program has paid.
void Partition::welcome(Device& device) const {
    const std::span<const Program> programs = device.programs.all();
    int64_t least_paid = INT64_MAX;
    int64_t least_until_now = INT64_MAX;
    int64_t most_paid = 0;
    device.others.clear();
    for (size_t i = 0; i < programs.size(); ++i) {
        const Account& account = device.accounts[i];
        const bool changes = (programs[i].wants && !account.stopped) != account.wanted;
        if (changes) device.others.push_back(i);
        if (account.wanted && !changes) least_paid = std::min(least_paid, account.paid);
        if (account.wanted || programs[i].used_ns > 0) least_until_now = std::min(least_until_now, account.paid);
        most_paid = std::max(most_paid, account.paid);
    }
    if (least_until_now != INT64_MAX) device.reached = least_until_now;
    if (least_paid == INT64_MAX) least_paid = std::min(device.reached, most_paid);
    const int64_t unit = rules_.unit();
    for (const size_t i : device.others) {
        Account& account = device.accounts[i];
        account.wanted = !account.wanted;
        if (!account.wanted) continue;
        const int64_t weight = device.weights[i].weight;
        const int64_t saved = account.came ? rules_.saved_ns(programs[i]) * unit / weight : 0;
        account.paid = std::max(account.paid, least_paid - saved);
        const int64_t ahead = base::capped_product(std::exchange(account.ahead_ns, 0), unit) / weight;
        account.paid = std::min(base::capped_sum(account.paid, ahead), kMostPaid);
        account.came = true;
    }
}

Partition::Wishes Partition::wishes_of(const Device& device, int64_t now_ns) {
    const std::span<const Program> programs = device.programs.all();
    Wishes wishes;
    for (size_t i = 0; i < programs.size(); ++i) {
        const Program& program = programs[i];
        const Account& account = device.accounts[i];
        if (account.stopped) {
            const int64_t missing_ns = enough_ns(program) - account.left_ns;
            const int64_t at_ns = now_ns + missing_ns * Weight::kNoLimit / device.weights[i].limit;
            if (program.wants) wishes.again_ns = base::earlier(wishes.again_ns, at_ns);
            continue;
        }
        if (program.ready && !program.wants)
            continue;  // its limit keeps it off, or the scheduler does not believe its
                       // claim
        if (program.id == device.current) wishes.current_here = i;
        if (!program.wants || device.can_wait[i] != 0) continue;
        ++wishes.wanting;
        wishes.weights += device.weights[i].weight;
        if (program.id == device.current) wishes.current = i;
        if (program.id == device.lender) wishes.lender = i;
        if (wishes.next == kNobody || account.paid < device.accounts[wishes.next].paid) wishes.next = i;
    }
    return wishes;
}

// Returns whether the turn goes on although its program wants nothing.
bool Partition::see_pause(Device& device, const Wishes& wishes, int64_t now_ns) {
    if (wishes.current != kNobody || wishes.current_here == kNobody) {
        device.paused_ns = 0;
        return false;
    }
    if (device.paused_ns == 0) device.paused_ns = now_ns;
    return now_ns < std::min(device.paused_ns + kPauseNs, device.until_ns);
}

// Ends the turn: for good, or, if its program only pauses, until it wants the device again.
void Partition::lend(Device& device, const Wishes& wishes, int64_t now_ns) {
    const int64_t rest_ns = device.until_ns - now_ns;
    const bool pauses = wishes.current == kNobody && wishes.current_here != kNobody && rest_ns > 0;
    if (pauses && device.lender != 0) return;  // a borrowed turn is not lent again
    device.lender = pauses ? device.current : 0;
    device.lent_ns = pauses ? rest_ns : 0;
}

// Returns the program that goes before all turns; kNobody: none.
size_t Partition::first_of(Device& device, int64_t now_ns, int64_t& again_ns) {
    int64_t wanting = 0;
    int64_t least = INT64_MAX;
    int64_t beyond = 0;  // sum of what the others have paid beyond the least
    for (const Account& account : device.accounts)
        if (account.wanted) least = std::min(least, account.paid);
    for (const Account& account : device.accounts) {
        if (!account.wanted) continue;
        ++wanting;
        beyond = base::capped_sum(beyond, account.paid - least);
    }
    const Standing standing{.accounts = device.accounts, .mean = wanting != 0 ? least + beyond / wanting : 0};
    if (std::exchange(device.any_can_wait, false))
        std::fill(device.can_wait.begin(), device.can_wait.end(), uint8_t{0});
    const size_t first = rules_.first(device.programs.all(), standing, device.can_wait, now_ns, again_ns);
    for (const uint8_t can_wait : device.can_wait) device.any_can_wait |= can_wait != 0;
    return first != kNobody && device.accounts[first].wanted ? first : kNobody;
}

// Gives the device to the program that goes before all turns. Returns false if there is none.
bool Partition::let_first_go(Device& device, Wishes& wishes, size_t first, int64_t now_ns) const {
    const std::span<const Program> programs = device.programs.all();
    if (first == kNobody) {
        if (std::exchange(device.before_turns, false)) device.until_ns = now_ns;
        return false;
    }
    if (programs[first].id != device.current) {
        if (device.lender == 0 && !device.before_turns && wishes.current != kNobody && device.until_ns > now_ns) {
            device.lender = device.current;
            device.lent_ns = device.until_ns - now_ns;
        }
        wishes.next = first;
        begin_turn(device, wishes, now_ns);
    } else if (now_ns >= device.until_ns) {
        device.until_ns = now_ns + std::max(rules_.turn_ns(programs[first]), kLeastTurnNs);
    }
    device.before_turns = true;
    wishes.current = first;
    return true;
}

void Partition::begin_turn(Device& device, const Wishes& wishes, int64_t now_ns) const {
    const Program& next = device.programs.all()[wishes.next];
    device.current = next.id;
    const int64_t slice_ns = rules_.turn_ns(next);
    const int64_t turn_ns = slice_ns * wishes.wanting * device.weights[wishes.next].weight / wishes.weights;
    restart(device, now_ns, std::min(turn_ns, std::max(slice_ns, kMostTurnNs)));
}

void Partition::end_turn(Device& device, int64_t now_ns) {
    device.turn.end_ns = now_ns;
    if (device.turn.id != 0) device.turns[device.turns_ended++ % kTurns] = device.turn;
    device.turn = {};
}

void Partition::restart(Device& device, int64_t now_ns, int64_t turn_ns) {
    end_turn(device, now_ns);
    device.turn = {.id = device.current, .begin_ns = now_ns};
    device.until_ns = now_ns + std::max(turn_ns, kLeastTurnNs);
    device.paused_ns = 0;
}

// Writes the decisions. While no program wants the device, every program may use it, within its limit.
void Partition::answer(const Device& device, const Wishes& wishes, std::span<Choice> choices) {
    const bool open = wishes.next == kNobody;
    const uint64_t by = open ? 0 : device.programs.all()[wishes.current].wanting;
    for (size_t i = 0; i < choices.size(); ++i) {
        const size_t program = device.programs.of(i);
        const bool stopped = device.accounts[program].stopped;
        if (stopped || (!open && program != wishes.current))
            choices[i] = {.run = false, .why = stopped ? Why::kLimited : Why::kTurn, .by = by};
    }
}

// Returns when the decision may change by itself.
int64_t Partition::again_ns(const Device& device, const Wishes& wishes, bool pauses, int64_t now_ns) {
    int64_t again_ns = wishes.again_ns;
    if (wishes.next == kNobody) return again_ns;
    if (pauses && device.paused_ns != 0)
        again_ns = base::earlier(again_ns, std::min(device.paused_ns + kPauseNs, device.until_ns));
    else if (wishes.wanting > 1 || device.lender != 0)
        again_ns = base::earlier(again_ns, device.until_ns);
    const int64_t limit = device.weights[wishes.current].limit;
    if (limit < Weight::kNoLimit)
        again_ns = base::earlier(
            again_ns, now_ns + device.accounts[wishes.current].left_ns * Weight::kNoLimit / (Weight::kNoLimit - limit));
    return again_ns;
}

bool Partition::hand_over(std::vector<Ahead>& accounts) const {
    accounts = taken_over_;  // programs that have not come since
    for (const auto& [id, device] : devices_) {
        int64_t least_paid = INT64_MAX;
        for (const Account& account : device.accounts)
            if (account.wanted) least_paid = std::min(least_paid, account.paid);
        for (size_t i = 0; i < device.accounts.size(); ++i) {
            const Account& account = device.accounts[i];
            if (!account.wanted || account.paid <= least_paid) continue;
            const int64_t ahead_ns =
                base::capped_product(account.paid - least_paid, device.weights[i].weight) / rules_.unit();
            accounts.push_back({.device = id, .account = account.account, .ns = ahead_ns});
        }
    }
    return true;
}

}  // namespace xsched::policy
