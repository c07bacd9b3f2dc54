// The k earliest deadlines first: see README.md.
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "policy/policy.h"
#include "policy/up/programs.h"

namespace xsched::policy {
namespace {

// Classes in the order in which work goes first. Late work comes after work that can still be in time, which it must
// not delay.
enum class Class : uint8_t { kOnTime, kLate, kNoDeadline };

struct Due {
    Class which = Class::kNoDeadline;
    int64_t at_ns = 0;
    uint64_t id = 0;
    bool wants = false;

    bool is_before(const Due& other) const {
        if (which != other.which) return which < other.which;
        return at_ns != other.at_ns ? at_ns < other.at_ns : id < other.id;
    }
};

struct Device {
    Programs programs{Programs::By::kProcess};
    std::vector<Due> dues;       // in the order of the programs
    std::vector<size_t> waiting;  // those of them that want the device and have a deadline
};

class Kedf final : public Policy {
public:
    int64_t choose(std::span<const Unit> units, int64_t now_ns, std::span<Choice> choices) override {
        if (units.empty()) return 0;
        Device& device = devices_[units[0].device];
        if (device.programs.see(units, now_ns)) device.dues.resize(device.programs.all().size());
        const size_t k = see_dues(device, units, now_ns);
        device.waiting.clear();
        bool any = false;
        for (size_t i = 0; i < device.dues.size(); ++i) {
            any |= device.dues[i].wants;
            if (device.dues[i].wants && device.dues[i].which != Class::kNoDeadline) device.waiting.push_back(i);
        }
        if (!any) return 0;
        answer(device, choices, last_of(device, k));
        return next_change_ns(device);
    }

    void forget(uint64_t device) override { devices_.erase(device); }
    // Ranks units: work without a deadline makes room for work with one, never the reverse. If several may run at once,
    // units with deadlines do not displace each other.
    bool rank(std::span<const Unit> units, std::span<int32_t> urgency) const override {
        const bool one = std::all_of(units.begin(), units.end(), [](const Unit& unit) { return unit.k_deadline <= 1; });
        for (size_t i = 0; i < units.size(); ++i) urgency[i] = one && units[i].deadline_us != 0 ? 1 : 0;
        return true;
    }

private:
    // Finds the earliest deadline of each program. Returns how many programs may run at once.
    static size_t see_dues(Device& device, std::span<const Unit> units, int64_t now_ns) {
        const std::span<const Program> programs = device.programs.all();
        for (size_t i = 0; i < programs.size(); ++i)
            device.dues[i] = {.id = programs[i].wanting, .wants = programs[i].wants};
        int32_t k = 1;
        for (size_t i = 0; i < units.size(); ++i) {
            const Unit& unit = units[i];
            k = std::max(k, unit.wants ? unit.k_deadline : 0);
            Due& due = device.dues[device.programs.of(i)];
            if (unit.deadline_us == 0 || unit.wants != due.wants) continue;
            // If a unit has no work, its deadline counts from now on.
            const int64_t since_ns = unit.ready ? unit.ready_since_ns : now_ns;
            Due own{.at_ns = since_ns + unit.deadline_us * 1000, .id = due.id, .wants = due.wants};
            own.which = own.at_ns < now_ns ? Class::kLate : Class::kOnTime;
            if (own.is_before(due)) due = own;
        }
        return static_cast<size_t>(k);
    }

    // Returns the program with the k-th earliest deadline among those that wait, the last that may run; null: fewer
    // than k wait, so all of them may run.
    static const Due* last_of(Device& device, size_t k) {
        std::vector<size_t>& waiting = device.waiting;
        if (waiting.empty()) return nullptr;
        if (waiting.size() < k) return nullptr;
        const auto last = waiting.begin() + static_cast<std::ptrdiff_t>(k) - 1;
        std::nth_element(waiting.begin(), last, waiting.end(),
                         [&](size_t a, size_t b) { return device.dues[a].is_before(device.dues[b]); });
        return &device.dues[*last];
    }

    static void answer(const Device& device, std::span<Choice> choices, const Due* last) {
        if (last == nullptr) return;
        for (size_t i = 0; i < choices.size(); ++i) {
            const Due& due = device.dues[device.programs.of(i)];
            if (!last->is_before(due)) continue;
            const bool late = due.wants && due.which == Class::kLate;
            choices[i] = {.run = false, .why = late ? Why::kLate : Why::kTurn, .by = last->id};
        }
    }

    // Returns when the next deadline passes: its program is late from then on.
    static int64_t next_change_ns(const Device& device) {
        int64_t next_ns = 0;
        for (const size_t i : device.waiting)
            if (device.dues[i].which == Class::kOnTime) next_ns = base::earlier(next_ns, device.dues[i].at_ns + 1);
        return next_ns;
    }

    std::unordered_map<uint64_t, Device> devices_;
};

}  // namespace

XSCHED_POLICY(Kedf, "KEDF", kPolicyKEarliestDeadlineFirst, bits_of(base::HintId::deadline_us, base::HintId::k_deadline),
              "the k earliest deadlines first: late work runs after work that can still be on time",
              "give it an earlier deadline (xcli hint PID -d TIME)");

}  // namespace xsched::policy
