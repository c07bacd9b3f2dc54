// Utilization partition: see README.md.
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "policy/policy.h"
#include "policy/up/programs.h"

namespace xsched::policy {
namespace {

constexpr int64_t kLeastTurnNs = 100'000;
// A program that waits for its work is idle for a moment: so long its turn goes on. A longer pause is lent to another.
constexpr int64_t kPauseNs = 300'000;
// A unit that comes back has this many of its timeslices to come, at most: what it missed of its share meanwhile.
constexpr int64_t kSavedSlices = 4;
constexpr int64_t kIdleShare = 2;  // a unit whose turn it is pays at least one over this of the time, used or not

// What a program has had of its device.
struct Account {
    uint64_t id = 0;
    int64_t paid = 0;     // device time used so far, divided by its share
    bool wanted = false;
    bool came = false;  // it has wanted the device before
};

struct Device {
    uint64_t current = 0;  // whose turn it is
    int64_t since_ns = 0;  // the turn's begin and end
    int64_t until_ns = 0;
    int64_t paused_ns = 0;  // since when its unit was seen to want nothing; 0: it wants
    uint64_t lender = 0;    // who paused in its turn and takes the rest of it when it wants again; 0: nobody
    int64_t lent_ns = 0;
    int64_t used_ns = 0;   // of the turn, as far as is known
    int64_t paid_ns = 0;   // for the turn
    Programs programs;
    std::vector<Account> accounts;
};

int64_t share_of(const Unit& unit) { return std::max(unit.utilization, 1); }

// As an account counts.
int64_t saved_by(const Unit& unit) { return kSavedSlices * unit.timeslice_us * 1000 * 100 / share_of(unit); }

class Up final : public Policy {
public:
    int64_t choose(std::span<const Unit> units, int64_t now_ns, std::span<Choice> choices) override {
        if (units.empty()) return 0;
        Device& device = devices_[units[0].device];
        if (device.programs.see(units, now_ns)) renew_accounts(device);
        keep_accounts(device, device.programs.all(), now_ns);
        Wishes wishes = wishes_of(device, device.programs.all());
        const bool pauses = see_pause(device, wishes, now_ns);
        if (wishes.next == nullptr) return 0;
        if (wishes.lender != nullptr) {
            take_back(device, now_ns);
        } else if (now_ns >= device.until_ns || (wishes.current == nullptr && !pauses)) {
            lend(device, wishes, now_ns);
            begin_turn(device, *wishes.next, wishes, now_ns);
        }
        const uint64_t by = device.programs.wanting(device.current);
        for (size_t i = 0; i < units.size(); ++i)
            if (device.programs.of(i).unit.id != device.current) choices[i] = {.run = false, .by = by};
        if (pauses && device.paused_ns != 0) return std::min(device.paused_ns + kPauseNs, device.until_ns);
        return wishes.wanting > 1 || device.lender != 0 ? device.until_ns : 0;
    }

    void forget(uint64_t device) override { devices_.erase(device); }

private:
    // Who wants the device; null: not that one.
    struct Wishes {
        const Unit* next = nullptr;  // who has had the least of its share
        const Unit* current = nullptr;
        const Unit* lender = nullptr;
        bool current_here = false;
        unsigned wanting = 0;
        int64_t shares = 0;
    };

    static Wishes wishes_of(Device& device, std::span<const Program> programs) {
        Wishes wishes;
        const Account* least = nullptr;
        for (size_t i = 0; i < programs.size(); ++i) {
            const Unit& unit = programs[i].unit;
            wishes.current_here |= unit.id == device.current;
            if (!unit.wants) continue;
            ++wishes.wanting;
            wishes.shares += share_of(unit);
            if (unit.id == device.current) wishes.current = &unit;
            if (unit.id == device.lender) wishes.lender = &unit;
            const Account* account = &device.accounts[i];
            if (least == nullptr || account->paid < least->paid) {
                least = account;
                wishes.next = &unit;
            }
        }
        return wishes;
    }

    // Whether the turn goes on although its unit wants nothing.
    static bool see_pause(Device& device, const Wishes& wishes, int64_t now_ns) {
        if (wishes.current != nullptr || !wishes.current_here) {
            device.paused_ns = 0;
            return false;
        }
        if (device.paused_ns == 0) device.paused_ns = now_ns;
        return now_ns < std::min(device.paused_ns + kPauseNs, device.until_ns);
    }

    // The turn ends, for now or for good.
    static void lend(Device& device, const Wishes& wishes, int64_t now_ns) {
        const int64_t rest_ns = device.until_ns - now_ns;
        const bool pauses = wishes.current == nullptr && wishes.current_here && rest_ns > 0;
        if (pauses && device.lender != 0) return;  // it had only borrowed
        device.lender = pauses ? device.current : 0;
        device.lent_ns = pauses ? rest_ns : 0;
    }

    static void take_back(Device& device, int64_t now_ns) {
        device.current = device.lender;
        device.lender = 0;
        restart(device, now_ns, device.lent_ns);
    }

    static void begin_turn(Device& device, const Unit& next, const Wishes& wishes, int64_t now_ns) {
        device.current = next.id;
        restart(device, now_ns, next.timeslice_us * 1000 * wishes.wanting * share_of(next) / wishes.shares);
    }

    static void restart(Device& device, int64_t now_ns, int64_t turn_ns) {
        device.since_ns = now_ns;
        device.until_ns = now_ns + std::max(turn_ns, kLeastTurnNs);
        device.paused_ns = device.used_ns = device.paid_ns = 0;
    }

    // In the order of the programs, each with what it had.
    static void renew_accounts(Device& device) {
        std::vector<Account> known = std::move(device.accounts);
        const auto by_id = [](const Account& a, const Account& b) { return a.id < b.id; };
        std::sort(known.begin(), known.end(), by_id);
        device.accounts.clear();
        for (const Program& program : device.programs.all()) {
            const Account fresh{.id = program.unit.id};
            const auto found = std::lower_bound(known.begin(), known.end(), fresh, by_id);
            device.accounts.push_back(found != known.end() && found->id == fresh.id ? *found : fresh);
        }
    }

    // Everybody pays for what it has used since the last decision; who comes begins with the least that somebody
    // waiting has paid, and who comes back with a little less: of the time that it did not ask for, that much is saved
    // up.
    static void keep_accounts(Device& device, std::span<const Program> programs, int64_t now_ns) {
        for (size_t i = 0; i < programs.size(); ++i) {
            const Program& program = programs[i];
            const Unit& unit = program.unit;
            Account* account = &device.accounts[i];
            int64_t used_ns = program.used_ns;
            if (unit.id == device.current && account->wanted) {
                // What is used becomes known late and in pieces: counted over the whole turn.
                device.used_ns += used_ns;
                const int64_t due_ns = std::max(device.used_ns, (now_ns - device.since_ns) / kIdleShare);
                used_ns = due_ns - device.paid_ns;
                device.paid_ns = due_ns;
            }
            account->paid += used_ns * 100 / share_of(unit);
        }
        const Account* least = nullptr;
        for (size_t i = 0; i < programs.size(); ++i) {
            const Account* account = &device.accounts[i];
            const bool waits = programs[i].unit.wants && account->wanted;
            if (waits && (least == nullptr || account->paid < least->paid)) least = account;
        }
        const int64_t least_paid = least != nullptr ? least->paid : 0;
        for (size_t i = 0; i < programs.size(); ++i) {
            const Unit& unit = programs[i].unit;
            Account* account = &device.accounts[i];
            if (unit.wants && !account->wanted)
                account->paid = std::max(account->paid, least_paid - (account->came ? saved_by(unit) : 0));
            account->wanted = unit.wants;
            account->came |= unit.wants;
        }
    }

    std::unordered_map<uint64_t, Device> devices_;
};

}  // namespace

XSCHED_POLICY(Up, "UP", kPolicyUtilizationPartition,
              "utilization partition: on each device busy programs take turns, as long as their shares say");

}  // namespace xsched::policy
