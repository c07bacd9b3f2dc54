// Turns on each device, in proportion to weights: the common part of UP, PUP, SPUP and CFS. One program runs at a time.
// The next turn goes to the program with the least device time for its weight. The policy defines weights, the length
// of a turn, and limits (Rules).
//
// Words: paid, device time used so far, divided by the weight. Saved, the most credit that a returning program gets.
// Lend, to let another program run during a longer pause in a program's turn.
//
// Pure; not thread-safe. Allocates only when units come or go.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "policy/policy.h"
#include "policy/up/programs.h"

namespace xsched::policy {

// A program's weight (an ordinary program has Rules::unit) and its limit.
struct Weight {
    static constexpr int64_t kNoLimit = 10'000;

    int64_t weight = 1;  // at least 1
    int64_t limit = kNoLimit;  // in parts of 10,000 of the device
};

// The device time that a program has had.
struct Account {
    uint64_t id = 0;
    uint64_t account = 0;
    int64_t paid = 0;
    int64_t limit = 0;  // limit since the last decision (Weight::limit); 0: there was none
    int64_t limited_ns = 0;  // device time since the limit was set that is not charged yet, at most
    int64_t left_ns = 0;  // allowance left under its limit; below zero: debt
    int64_t ahead_ns = 0;  // balance taken over from the previous policy, not applied yet
    bool wanted = false;
    bool came = false;  // it has wanted the device before
    bool stopped = false;  // it has used what its limit allows
};

// The programs' balances, for Rules that let a program go first.
struct Standing {
    std::span<const Account> accounts;  // in the order of the programs
    int64_t mean = 0;  // mean of `paid` of the programs that want the device

    // Returns whether the program wants the device, and has paid no more than the mean of those that want it.
    bool is_behind(size_t program) const { return accounts[program].wanted && accounts[program].paid <= mean; }
};

class Rules {
public:
    static constexpr size_t kNobody = SIZE_MAX;

    virtual ~Rules() = default;
    virtual Programs::By by() const = 0;
    virtual int64_t unit() const = 0;
    // Sets each program's weight, in the same order.
    virtual void weigh(std::span<const Program> programs, std::span<Weight> weights) const = 0;
    // Returns the length of a turn of a program whose weight is the mean of those that want the device.
    virtual int64_t turn_ns(const Program& program) const { return program.timeslice_ns; }
    virtual int64_t saved_ns(const Program& program) const = 0;

    // Returns a divisor: a turn is charged for at least its time divided by this number, even if less was used.
    virtual int64_t idle_share() const { return 2; }

    // Takes in all programs before each decision. `renewed`: the programs or their order have changed.
    virtual void see([[maybe_unused]] std::span<const Program> programs, [[maybe_unused]] bool renewed,
                     [[maybe_unused]] int64_t now_ns) {}
    // Returns whether a program may go before all turns under these rules. The interrupted turn continues afterwards.
    virtual bool has_first() const { return false; }
    // Chooses a program that gets the device at once, before the program whose turn it is. Returns its position in
    // `programs`; kNobody: the device goes from turn to turn as usual. `can_wait` has one entry per program, all 0. An
    // entry set to 1 keeps the program from a turn while a program with entry 0 wants the device. `again_ns`: set to
    // the time at which the answer may change without any other event.
    virtual size_t first([[maybe_unused]] std::span<const Program> programs, [[maybe_unused]] const Standing& standing,
                         [[maybe_unused]] std::span<uint8_t> can_wait, [[maybe_unused]] int64_t now_ns,
                         [[maybe_unused]] int64_t& again_ns) {
        return kNobody;
    }
    // Receives, after a decision, the position of the program that has the device from now on; kNobody: all may use it.
    virtual void decided([[maybe_unused]] size_t current) {}
};

class Partition {
public:
    explicit Partition(Rules& rules) : rules_(rules) {}

    int64_t choose(std::span<const Unit> units, int64_t now_ns, std::span<Choice> choices);
    void forget(uint64_t device) { devices_.erase(device); }
    bool hand_over(std::vector<Ahead>& accounts) const;
    void take_over(std::span<const Ahead> accounts) { taken_over_.assign(accounts.begin(), accounts.end()); }
    // Returns the programs at the last decision about that device; null: there was none.
    const Programs* programs(uint64_t device) const {
        const auto found = devices_.find(device);
        return found != devices_.end() ? &found->second.programs : nullptr;
    }

private:
    static constexpr size_t kNobody = Rules::kNobody;

    // The charge of a program for one turn: the reported use, but at least a part (1 / Rules::idle_share) of the time
    // in which no other program used the device. Use of others is reported late, so the charge may turn out too high;
    // then it is corrected.
    struct Turn {
        uint64_t id = 0;
        int64_t begin_ns = 0;
        int64_t end_ns = 0;
        int64_t used_ns = 0;
        int64_t others_ns = 0;
        int64_t paid_ns = 0;

        int64_t due_ns(int64_t now_ns, int64_t idle_share) const {
            return std::max(used_ns, std::max<int64_t>(now_ns - begin_ns - others_ns, 0) / idle_share);
        }
    };
    static constexpr size_t kTurns = 16;

    struct Device {
        Device(uint64_t number, Programs::By by) : id(number), programs(by) {}

        uint64_t id;
        uint64_t current = 0;  // the program that has the turn
        int64_t until_ns = 0;  // the turn's end
        int64_t paused_ns = 0;  // since when that program wants nothing; 0: it wants the device
        uint64_t lender = 0;  // the program that pauses in its turn and continues it when it wants the device; 0: none
        int64_t lent_ns = 0;
        bool before_turns = false;  // the turn belongs to a program that went before all turns
        Turn turn;  // the present one
        std::array<Turn, kTurns> turns{};  // past turns, a ring
        size_t turns_ended = 0;
        int64_t refilled_ns = 0;  // when allowances under limits last grew
        Programs programs;
        std::vector<Account> accounts;  // in the order of the programs, as are
        std::vector<Weight> weights;
        std::vector<size_t> others;  // programs that stopped or started to want the device
        int64_t reached = 0;  // the least that a program had paid that waited or ran last
        std::vector<uint8_t> can_wait;
        bool any_can_wait = false;
    };

    // The programs that want the device and may have it; kNobody: none.
    struct Wishes {
        size_t next = kNobody;  // the program that has had the least for its weight
        size_t current = kNobody;
        size_t lender = kNobody;
        size_t current_here = kNobody;  // whether it wants the device or not
        int64_t wanting = 0;
        int64_t weights = 0;
        int64_t again_ns = 0;  // when a program stopped by its limit may go on
    };

    Device& device_of(uint64_t id);
    void renew_accounts(Device& device);
    void take_up(const Device& device, Account& account);
    void charge(Device& device, int64_t now_ns) const;
    void pay(Device& device, size_t at, int64_t used_ns) const;
    void correct(Device& device, int64_t used_ns, int64_t now_ns) const;
    void welcome(Device& device) const;
    static Wishes wishes_of(const Device& device, int64_t now_ns);
    static bool see_pause(Device& device, const Wishes& wishes, int64_t now_ns);
    static void lend(Device& device, const Wishes& wishes, int64_t now_ns);
    static void end_turn(Device& device, int64_t now_ns);
    static void restart(Device& device, int64_t now_ns, int64_t turn_ns);
    size_t first_of(Device& device, int64_t now_ns, int64_t& again_ns);
    bool let_first_go(Device& device, Wishes& wishes, size_t first, int64_t now_ns) const;
    void begin_turn(Device& device, const Wishes& wishes, int64_t now_ns) const;
    static void answer(const Device& device, const Wishes& wishes, std::span<Choice> choices);
    static int64_t again_ns(const Device& device, const Wishes& wishes, bool pauses, int64_t now_ns);

    Rules& rules_;
    std::unordered_map<uint64_t, Device> devices_;
    std::vector<Ahead> taken_over_;
};

// A policy that gives turns by a Partition; `OwnRules` says how.
template <typename OwnRules>
class PartitionPolicy : public Policy {
public:
    int64_t choose(std::span<const Unit> units, int64_t now_ns, std::span<Choice> choices) final {
        return partition_.choose(units, now_ns, choices);
    }
    void forget(uint64_t device) final { partition_.forget(device); }
    // Ranks all units alike, since they take turns.
    bool rank(std::span<const Unit> /*units*/, std::span<int32_t> /*urgency*/) const final { return true; }
    bool hand_over(std::vector<Ahead>& accounts) const final { return partition_.hand_over(accounts); }
    void take_over(std::span<const Ahead> accounts) final { partition_.take_over(accounts); }

private:
    OwnRules rules_;
    Partition partition_{rules_};
};

}  // namespace xsched::policy
