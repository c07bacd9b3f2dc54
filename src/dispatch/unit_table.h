// The units of all clients, by device. A unit keeps its id for as long as it is here, and its position on its device
// until the device's composition changes. Not thread-safe. No allocation once it has seen as many units.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sched/facts/unit.h"

namespace xsched::dispatch {

class ClientSlots;
class ClientUnits;
struct UserLimits;

// Returns a unit's id, which begins with its client's.
constexpr uint64_t unit_id(uint32_t client, uint32_t number) { return uint64_t{client} << 32 | number; }
constexpr uint32_t client_of(uint64_t unit) { return static_cast<uint32_t>(unit >> 32); }

// The client that the unit belongs to, and the unit's index there.
struct Owner {
    ClientSlots* client = nullptr;
    ClientUnits* units = nullptr;
    uint32_t own = 0;
    UserLimits* user = nullptr;  // user of the client; null: none
};

// How many units of a device one user has.
struct UserHere {
    UserLimits* user = nullptr;
    uint32_t units = 0;
};

// One device. Its vectors are indexed by position.
struct DeviceTable {
    uint64_t device = 0;
    std::vector<sched::UnitState> units;
    std::vector<Owner> owners;
    std::vector<UserHere> users;       // users of these units, each once

    uint64_t composition = 1;
    bool look_at_all = false;          // look at all verdicts again
    bool all_changed = true;           // all units may have changed since the last decision,
    std::vector<uint32_t> changed;     // else those
    std::vector<uint8_t> is_changed;
    bool in_dirty = false;             // it is listed for a decision
    bool in_timed = false;             // it is listed for a decision at a certain time
    sched::Plan plan;                  // the last decision

    const sched::Verdict& verdict(uint32_t at) const { return plan.verdicts[at]; }
    // Returns whether the verdicts are about the units that are here now.
    bool is_decided() const { return !all_changed; }
    // Returns the user of all units of the device; null if they are of several users, or of none.
    UserLimits* only_user() const { return users.size() == 1 ? users[0].user : nullptr; }
    uint32_t units_of(const UserLimits* user) const {
        for (const UserHere& here : users)
            if (here.user == user) return here.units;
        return 0;
    }
    // Returns the unit for which another one makes room; null: none.
    const sched::UnitState* maker_of_room(const sched::Verdict& verdict) const {
        return verdict.by != 0 && verdict.by_at < units.size() && units[verdict.by_at].unit.id == verdict.by
                   ? &units[verdict.by_at]
                   : nullptr;
    }
};

class UnitTable {
public:
    // Returns the device; makes it if new.
    DeviceTable& device(uint64_t id);
    // Returns its position.
    uint32_t add(DeviceTable& device, const sched::UnitState& unit, Owner owner);
    // Replaces the unit's state; its id, priority and process must be the same. Returns false if nothing changed.
    bool update(DeviceTable& device, uint32_t at, const sched::UnitState& unit);
    // Removes a unit. If another unit takes its position, returns that one's owner, who must be told; otherwise no
    // owner.
    Owner remove(DeviceTable& device, uint32_t at);
    // Returns how many of the device's units belong to that user.
    uint32_t units_of(uint64_t device, const UserLimits* user) const;
    // Makes all devices be decided again.
    void mark_all();

    // Returns the devices to be decided; the caller empties the list.
    std::vector<DeviceTable*>& dirty() { return dirty_; }
    const std::unordered_map<uint64_t, std::unique_ptr<DeviceTable>>& devices() const { return devices_; }
    // Erases a device without units.
    void erase(uint64_t device) { devices_.erase(device); }

    void mark(DeviceTable& device);
    // Makes all units of the device be decided again.
    void look_at(DeviceTable& device) {
        device.look_at_all = true;
        mark(device);
    }

private:
    static void count_user(DeviceTable& device, UserLimits* user, int change);

    std::unordered_map<uint64_t, std::unique_ptr<DeviceTable>> devices_;
    std::vector<DeviceTable*> dirty_;
};

}  // namespace xsched::dispatch
