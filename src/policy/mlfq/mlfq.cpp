// Multi-level feedback queue: see README.md.
#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time.h"
#include "policy/policy.h"
#include "policy/up/programs.h"

namespace xsched::policy {
namespace {

constexpr int kLevels = 4;
constexpr int64_t kSliceNs = 10'000'000;  // slice of the first level; each lower level has twice that of the one above
constexpr int64_t kPatience = 5;  // a program that has waited for this many slices of its level goes up
constexpr int64_t kRestNs = 100'000'000;  // so does a program that wanted nothing for this long
constexpr int64_t kPauseNs = 300'000;  // a shorter pause belongs to the turn
constexpr int64_t kIdleShare = 2;  // a turn is charged for at least one part in this many of its time

constexpr int64_t slice_ns(int level) { return kSliceNs << level; }

struct Place {
    uint64_t id = 0;
    int level = 0;
    uint64_t turn = 0;  // order within a level: the smallest goes first
    int64_t used_ns = 0;  // of its slice
    int64_t changed_ns = 0;  // since when it waits with work, or rests
    bool wanted = false;
};

struct Device {
    Programs programs{Programs::By::kProcess};
    std::vector<Place> places;  // in the order of the programs
    uint64_t current = 0;
    int64_t since_ns = 0;  // begin of the present turn,
    int64_t turn_used_ns = 0;  // and how much of it was used, as far as reported
    int64_t counted_ns = 0;  // and what counts
    int64_t paused_ns = 0;
    uint64_t turns = 0;
};

class Mlfq final : public Policy {
public:
    int64_t choose(std::span<const Unit> units, int64_t now_ns, std::span<Choice> choices) override {
        if (units.empty()) return 0;
        Device& device = devices_[units[0].device];
        if (device.programs.see(units, now_ns)) renew(device, now_ns);
        for (size_t i = 0; i < device.places.size(); ++i) move(device, i, now_ns);
        const size_t here = find_current(device);
        const bool pauses = see_pause(device, here, now_ns);
        const size_t next = first_of(device);
        device.programs.let(Programs::kAll);
        if (next == kNobody) return 0;
        size_t runs = next;
        if (pauses && device.places[here].level <= device.places[next].level) runs = here;
        if (device.places[runs].id != device.current) begin_turn(device, runs, now_ns);
        device.programs.let(runs);
        const uint64_t by = device.programs.all()[runs].wanting;
        for (size_t i = 0; i < choices.size(); ++i)
            if (device.programs.of(i) != runs) choices[i] = {.run = false, .by = by};
        return again_ns(device, runs, pauses);
    }

    void forget(uint64_t device) override { devices_.erase(device); }
    // Ranks nothing: levels change with every slice, so no unit is prepared for.
    bool rank(std::span<const Unit> /*units*/, std::span<int32_t> /*urgency*/) const override { return true; }

private:
    static constexpr size_t kNobody = SIZE_MAX;

    static void renew(Device& device, int64_t now_ns) {
        std::vector<Place> known = std::move(device.places);
        const auto by_id = [](const Place& a, const Place& b) { return a.id < b.id; };
        std::sort(known.begin(), known.end(), by_id);
        device.places.clear();
        for (const Program& program : device.programs.all()) {
            const Place fresh{.id = program.id, .turn = ++device.turns, .changed_ns = now_ns};
            const auto found = std::lower_bound(known.begin(), known.end(), fresh, by_id);
            device.places.push_back(found != known.end() && found->id == fresh.id ? *found : fresh);
        }
    }

    // Moves a program down when its slice is used up, and up after it waited or rested.
    static void move(Device& device, size_t at, int64_t now_ns) {
        const Program& program = device.programs.all()[at];
        Place& place = device.places[at];
        const bool runs = place.id == device.current;
        int64_t used_ns = program.used_ns;
        if (runs && place.wanted) {
            // Use is reported late and in pieces, so it is counted over the whole turn.
            device.turn_used_ns += used_ns;
            const int64_t due_ns = std::max(device.turn_used_ns, (now_ns - device.since_ns) / kIdleShare);
            used_ns = due_ns - std::exchange(device.counted_ns, due_ns);
        }
        place.used_ns += used_ns;
        if (std::exchange(place.wanted, program.wants) != program.wants || (runs && program.wants))
            place.changed_ns = now_ns;
        if (place.used_ns >= slice_ns(place.level)) {
            place.used_ns = 0;
            place.level = std::min(place.level + 1, kLevels - 1);
            place.turn = ++device.turns;
        }
        if (place.level == 0) return;
        const int64_t patience_ns = program.wants ? kPatience * slice_ns(place.level) : kRestNs;
        if (now_ns - place.changed_ns < patience_ns) return;
        --place.level;
        place.used_ns = 0;
        place.changed_ns = now_ns;
        place.turn = ++device.turns;
    }

    static size_t find_current(const Device& device) {
        for (size_t i = 0; i < device.places.size(); ++i)
            if (device.places[i].id == device.current) return i;
        return kNobody;
    }

    // Returns whether the turn goes on although its program wants nothing.
    static bool see_pause(Device& device, size_t here, int64_t now_ns) {
        if (here == kNobody || device.places[here].wanted) {
            device.paused_ns = 0;
            return false;
        }
        if (device.paused_ns == 0) device.paused_ns = now_ns;
        return now_ns < device.paused_ns + kPauseNs;
    }

    static size_t first_of(const Device& device) {
        size_t first = kNobody;
        for (size_t i = 0; i < device.places.size(); ++i) {
            const Place& place = device.places[i];
            if (!place.wanted) continue;
            if (first == kNobody ||
                std::pair(place.level, place.turn) < std::pair(device.places[first].level, device.places[first].turn))
                first = i;
        }
        return first;
    }

    static void begin_turn(Device& device, size_t at, int64_t now_ns) {
        device.current = device.places[at].id;
        device.since_ns = now_ns;
        device.turn_used_ns = device.counted_ns = device.paused_ns = 0;
    }

    // Returns the earliest of: the end of the slice, the time at which a program has waited long enough, and the end of
    // the pause.
    static int64_t again_ns(const Device& device, size_t runs, bool pauses) {
        int64_t again_ns = pauses ? device.paused_ns + kPauseNs : 0;
        bool others = false;
        for (size_t i = 0; i < device.places.size(); ++i) {
            const Place& place = device.places[i];
            if (i == runs || !place.wanted) continue;
            others = true;
            if (place.level != 0)
                again_ns = base::earlier(again_ns, place.changed_ns + kPatience * slice_ns(place.level));
        }
        if (!others) return again_ns;
        const Place& current = device.places[runs];
        return base::earlier(again_ns, device.since_ns + device.counted_ns + slice_ns(current.level) - current.used_ns);
    }

    std::unordered_map<uint64_t, Device> devices_;
};

}  // namespace

XSCHED_POLICY(Mlfq, "MLFQ", kPolicyMultiLevelFeedbackQueue, bits_of(),
              "multi-level feedback queue: short work first without a hint; a unit that uses up its slice goes "
              "down, a unit that waits goes up");

}  // namespace xsched::policy
