#include "dispatch/unit_table.h"

#include <algorithm>
#include <utility>

namespace xsched::dispatch {

DeviceTable& UnitTable::device(uint64_t id) {
    std::unique_ptr<DeviceTable>& table = devices_[id];
    if (table == nullptr) {
        table = std::make_unique<DeviceTable>();
        table->device = id;
    }
    return *table;
}

uint32_t UnitTable::add(DeviceTable& device, const sched::UnitState& unit, Owner owner) {
    const auto at = static_cast<uint32_t>(device.units.size());
    device.units.push_back(unit);
    device.owners.push_back(owner);
    device.is_changed.push_back(0);
    count_user(device, owner.user, 1);
    ++device.composition;
    device.all_changed = true;
    mark(device);
    return at;
}

bool UnitTable::update(DeviceTable& device, uint32_t at, const sched::UnitState& unit) {
    if (device.units[at] == unit) return false;
    device.units[at] = unit;
    if (std::exchange(device.is_changed[at], uint8_t{1}) == 0) device.changed.push_back(at);
    mark(device);
    return true;
}

uint32_t UnitTable::units_of(uint64_t device, const UserLimits* user) const {
    const auto known = devices_.find(device);
    return known != devices_.end() ? known->second->units_of(user) : 0;
}

void UnitTable::count_user(DeviceTable& device, UserLimits* user, int change) {
    const auto known = std::find_if(device.users.begin(), device.users.end(),
                                    [user](const UserHere& here) { return here.user == user; });
    if (known == device.users.end())
        device.users.push_back({user, 1});
    else if ((known->units += static_cast<uint32_t>(change)) == 0)
        device.users.erase(known);
}

Owner UnitTable::remove(DeviceTable& device, uint32_t at) {
    const auto last = static_cast<uint32_t>(device.units.size() - 1);
    count_user(device, device.owners[at].user, -1);
    if (at != last) {
        device.units[at] = device.units[last];
        device.owners[at] = device.owners[last];
    }
    device.units.pop_back();
    device.owners.pop_back();
    device.is_changed.pop_back();
    ++device.composition;
    device.all_changed = true;
    mark(device);
    return at != last ? device.owners[at] : Owner{};
}

void UnitTable::mark_all() {
    for (auto& [id, device] : devices_) look_at(*device);
}

void UnitTable::mark(DeviceTable& device) {
    if (!std::exchange(device.in_dirty, true)) dirty_.push_back(&device);
}

}  // namespace xsched::dispatch
