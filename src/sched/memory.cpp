#include "sched/memory.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace xsched::sched {

void Memory::follow(std::span<const UnitState> given, int64_t now_ns) {
    if (follows(given)) return;
    remember_units(given, now_ns);
    remember_devices(given);
}

bool Memory::follows(std::span<const UnitState> given) const {
    if (given.size() != units_.size()) return false;
    for (size_t i = 0; i < given.size(); ++i) {
        if (given[i].unit.id != units_[i].id || given[i].unit.device != unit_devices_[i]) return false;
    }
    return true;
}

void Memory::remember_units(std::span<const UnitState> given, int64_t now_ns) {
    std::vector<std::pair<uint64_t, UnitMemory*>> known;
    known.reserve(units_.size());
    for (UnitMemory& unit : units_) known.emplace_back(unit.id, &unit);
    std::sort(known.begin(), known.end(), [](const auto& a, const auto& b) { return a.first < b.first; });

    std::vector<UnitMemory> units;
    units.reserve(given.size());
    unit_devices_.clear();
    for (const UnitState& state : given) {
        const auto found = std::lower_bound(known.begin(), known.end(), state.unit.id,
                                            [](const auto& entry, uint64_t id) { return entry.first < id; });
        if (found != known.end() && found->first == state.unit.id) {
            units.push_back(*found->second);
        } else {
            units.emplace_back(state.unit.id, now_ns);
        }
        unit_devices_.push_back(state.unit.device);
    }
    units_ = std::move(units);
}

void Memory::remember_devices(std::span<const UnitState> given) {
    order_.resize(given.size());
    std::iota(order_.begin(), order_.end(), 0U);
    std::stable_sort(order_.begin(), order_.end(), [&given](uint32_t a, uint32_t b) {
        return given[a].unit.device < given[b].unit.device;
    });

    const std::vector<DeviceMemory> known = std::move(devices_);  // sorted by device, like the new ones
    devices_.clear();
    for (uint32_t i = 0; i < order_.size(); ++i) {
        const uint64_t device = given[order_[i]].unit.device;
        if (devices_.empty() || devices_.back().device != device) {
            const auto found = std::lower_bound(known.begin(), known.end(), device,
                                                [](const DeviceMemory& d, uint64_t key) { return d.device < key; });
            devices_.push_back({.device = device, .begin = i, .end = i});
            if (found != known.end() && found->device == device) devices_.back().guard = found->guard;
        }
        devices_.back().end = i + 1;
    }
}

}  // namespace xsched::sched
