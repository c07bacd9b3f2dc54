#include "sched/state/history.h"

#include <algorithm>
#include <numeric>

namespace xsched::sched {

namespace {

bool same_composition(const DeviceHistory& device, const DeviceUnits& given) {
    if (given.composition != 0) return given.composition == device.composition;
    if (given.units.size() != device.units.size()) return false;
    // If the caller does not count changes of the device's units (`composition` 0), compares all units with the known
    // ones, and whether each may run.
    for (size_t i = 0; i < given.units.size(); ++i) {
        const UnitState& state = given.units[i];
        const UnitHistory& known = device.units[i];
        if (state.unit.id != known.id || is_eligible(state) != (known.place != kNowhere)) return false;
        if (known.place == kNowhere) continue;
        const policy::Unit& asked = device.asked[known.place];
        if (asked.priority != state.unit.priority || asked.process != state.unit.process) return false;
    }
    return true;
}

// A unit that has come, or has moved to another position on its device, with its history.
struct Arrival {
    uint32_t at;
    UnitHistory unit;
    Verdict verdict;
    Usage usage;
};

Arrival arrive(const DeviceHistory& device, uint32_t at, const UnitState& state, int64_t now_ns) {
    const uint32_t known = device.find(state.unit.id);
    if (known != kNowhere) return {at, device.units[known], device.verdicts[known], device.usages[known]};
    Arrival fresh{at, {state.unit.id, now_ns}, {.id = state.unit.id, .since_ns = now_ns}, {}};
    fresh.unit.begin_with(state.habits);
    return fresh;
}

// Follows changes of the units. A new unit comes at the end, and the last one takes the place of one that goes. All
// others stay where they are and are not copied: in a crowd they are much memory, and clients come and go.
void remember_units(DeviceHistory& device, const DeviceUnits& given, int64_t now_ns) {
    std::vector<UnitHistory>& units = device.units;
    std::vector<Arrival> arriving;
    for (uint32_t at = 0; at < given.units.size(); ++at)
        if (at >= units.size() || units[at].id != given.units[at].unit.id)
            arriving.push_back(arrive(device, at, given.units[at], now_ns));
    if (units.size() > given.units.size())
        units.erase(units.begin() + static_cast<std::ptrdiff_t>(given.units.size()), units.end());
    device.verdicts.resize(given.units.size());
    device.usages.resize(given.units.size());
    for (Arrival& one : arriving) {
        if (one.at < units.size())
            units[one.at] = one.unit;
        else
            units.push_back(one.unit);
        device.verdicts[one.at] = one.verdict;
        device.usages[one.at] = one.usage;
    }
    for (UnitHistory& unit : units) unit.timed = unit.told = unit.claims = false;
    device.rivals_changed = true;
    device.by_id.clear();
    for (uint32_t i = 0; i < given.units.size(); ++i) device.by_id.emplace_back(given.units[i].unit.id, i);
    std::sort(device.by_id.begin(), device.by_id.end());
}

// Groups keep their history when units change.
void remember_groups(DeviceHistory& device, const DeviceUnits& given) {
    const auto group_of = [&given](uint32_t at) { return given.units[at].group; };
    std::vector<uint32_t>& members = device.members;
    members.resize(given.units.size());
    std::iota(members.begin(), members.end(), 0U);
    std::sort(members.begin(), members.end(),
              [&](uint32_t a, uint32_t b) { return std::pair(group_of(a), a) < std::pair(group_of(b), b); });
    std::vector<Group> groups;
    auto known = device.groups.begin();
    for (uint32_t i = 0; i < members.size(); ++i) {
        const uint64_t id = group_of(members[i]);
        if (groups.empty() || groups.back().id != id) {
            while (known != device.groups.end() && known->id < id) ++known;
            groups.push_back(known != device.groups.end() && known->id == id ? std::move(*known) : Group{.id = id});
            groups.back().begin = i;
        }
        groups.back().end = i + 1;
        groups.back().dirty = false;
        device.units[members[i]].group = static_cast<uint32_t>(groups.size() - 1);
    }
    device.groups = std::move(groups);
    device.dirty_groups.clear();
    device.late.clear();
}

void remember_eligible(DeviceHistory& device, const DeviceUnits& given) {
    device.eligible.clear();
    device.timed.clear();
    device.claims.clear();
    device.claims_due_ns = 0;
    for (uint32_t i = 0; i < given.units.size(); ++i) {
        const bool eligible = is_eligible(given.units[i]);
        device.units[i].place = eligible ? static_cast<uint32_t>(device.eligible.size()) : kNowhere;
        if (eligible) device.eligible.push_back(i);
    }
    const size_t count = device.eligible.size();
    device.timed.reserve(count);
    device.claims.reserve(count);
    device.asked.assign(count, policy::Unit{});
    device.limited = 0;
    device.answers.assign(count, policy::Choice{});
    device.answered_by.assign(count, By::kPolicy);
    device.answered.assign(count, policy::Choice{});
    device.preemptible.assign(count, 0);
    device.ready.assign(count, 0);
    device.costs.assign(count, Cost{});
    device.ranked.assign(count, 0);
    device.notes.assign(count, policy::Note{});
    device.urgency.clear();
    for (const UnitState& state : given.units) device.urgency.push_back(state.unit.priority);
    device.less_urgent.reserve(count);  // whatever their ranks
    device.rank_anew();
}

}  // namespace

uint32_t DeviceHistory::find(uint64_t id) const {
    const auto found = std::lower_bound(by_id.begin(), by_id.end(), id,
                                        [](const auto& entry, uint64_t key) { return entry.first < key; });
    return found != by_id.end() && found->first == id ? found->second : kNowhere;
}

DeviceHistory& History::follow(const DeviceUnits& given, int64_t now_ns, bool* changed) {
    DeviceHistory& device = devices_[given.device];
    *changed = !same_composition(device, given);
    if (*changed) {
        remember_units(device, given, now_ns);
        remember_groups(device, given);
        remember_eligible(device, given);
    }
    device.composition = given.composition;
    return device;
}

}  // namespace xsched::sched
