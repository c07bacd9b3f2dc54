#include "sched/memory.h"

#include <algorithm>

namespace xsched::sched {

namespace {

bool same_composition(const DeviceMemory& device, const DeviceUnits& given) {
    if (given.composition != 0) return given.composition == device.composition;
    if (given.units.size() != device.units.size()) return false;
    // Nobody says: what the eligible units are asked about must fit as well.
    for (size_t i = 0; i < given.units.size(); ++i) {
        const UnitState& state = given.units[i];
        const UnitMemory& known = device.units[i];
        if (state.unit.id != known.id || is_eligible(state) != (known.place != kNowhere)) return false;
        if (known.place == kNowhere) continue;
        const policy::Unit& asked = device.asked[known.place];
        if (asked.priority != state.unit.priority || asked.process != state.unit.process) return false;
    }
    return true;
}

void remember_units(DeviceMemory& device, const DeviceUnits& given, int64_t now_ns) {
    std::vector<UnitMemory> units;
    std::vector<Verdict> verdicts;
    units.reserve(given.units.size());
    verdicts.reserve(given.units.size());
    for (const UnitState& state : given.units) {
        const uint32_t known = device.find(state.unit.id);
        if (known != kNowhere) {
            units.push_back(device.units[known]);
            verdicts.push_back(device.verdicts[known]);
        } else {
            units.emplace_back(state.unit.id, now_ns);
            verdicts.push_back({.id = state.unit.id, .since_ns = now_ns});
        }
        units.back().timed = false;
    }
    device.units = std::move(units);
    device.verdicts = std::move(verdicts);
    device.by_id.clear();
    for (uint32_t i = 0; i < given.units.size(); ++i) device.by_id.emplace_back(given.units[i].unit.id, i);
    std::sort(device.by_id.begin(), device.by_id.end());
}

void remember_eligible(DeviceMemory& device, const DeviceUnits& given) {
    device.at.clear();
    device.timed.clear();
    for (uint32_t i = 0; i < given.units.size(); ++i) {
        const bool eligible = is_eligible(given.units[i]);
        device.units[i].place = eligible ? static_cast<uint32_t>(device.at.size()) : kNowhere;
        if (eligible) device.at.push_back(i);
    }
    const size_t count = device.at.size();
    device.asked.assign(count, policy::Unit{});
    device.answers.assign(count, policy::Choice{});
    device.answered.assign(count, policy::Choice{});
    device.preemptible.assign(count, 0);
    device.ready.assign(count, 0);
    device.costs.assign(count, Cost{});
    device.ranks.build(count, [&](size_t i) { return given.units[device.at[i]].unit.priority; });
    device.less_urgent.resize(device.ranks.count());
}

}  // namespace

uint32_t DeviceMemory::find(uint64_t id) const {
    const auto found =
        std::lower_bound(by_id.begin(), by_id.end(), id, [](const auto& entry, uint64_t key) { return entry.first < key; });
    return found != by_id.end() && found->first == id ? found->second : kNowhere;
}

DeviceMemory& Memory::follow(const DeviceUnits& given, int64_t now_ns, bool* changed) {
    DeviceMemory& device = devices_[given.device];
    *changed = !same_composition(device, given);
    if (*changed) {
        remember_units(device, given, now_ns);
        remember_eligible(device, given);
    }
    device.composition = given.composition;
    return device;
}

}  // namespace xsched::sched
