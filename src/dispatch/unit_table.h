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

// Ids of units begin with that of their client.
constexpr uint64_t unit_id(uint32_t client, uint32_t number) { return uint64_t{client} << 32 | number; }
constexpr uint32_t client_of(uint64_t unit) { return static_cast<uint32_t>(unit >> 32); }

// The client that the unit belongs to, and the unit's place there.
struct Owner {
    ClientSlots* client = nullptr;
    ClientUnits* units = nullptr;
    uint32_t own = 0;
    UserLimits* user = nullptr;  // the client's; null: nobody's in particular
};

// How many units of a device are one user's.
struct UserHere {
    UserLimits* user = nullptr;
    uint32_t units = 0;
};

// One device. Members in vectors are by position.
struct DeviceTable {
    uint64_t device = 0;
    std::vector<sched::UnitState> units;
    std::vector<Owner> owners;
    std::vector<UserHere> users;       // of these units, each once

    uint64_t composition = 1;
    bool look_at_all = false;          // all must be decided anew
    bool all_changed = true;           // since the last decision,
    std::vector<uint32_t> changed;     // else those
    std::vector<uint8_t> is_changed;
    bool in_dirty = false;             // it waits for a decision
    bool in_timed = false;             // it is to be decided about at a time
    sched::Plan plan;                  // the last decision

    const sched::Verdict& verdict(uint32_t at) const { return plan.verdicts[at]; }
    // The verdicts are about the units that are here now.
    bool is_decided() const { return !all_changed; }
    // Null: it has several users' units, or units that are nobody's in particular.
    UserLimits* only_user() const { return users.size() == 1 ? users[0].user : nullptr; }
    uint32_t units_of(const UserLimits* user) const {
        for (const UserHere& here : users)
            if (here.user == user) return here.units;
        return 0;
    }
    // The unit that another one makes room for; null: none.
    const sched::UnitState* maker_of_room(const sched::Verdict& verdict) const {
        return verdict.by != 0 && verdict.by_at < units.size() && units[verdict.by_at].unit.id == verdict.by
                   ? &units[verdict.by_at]
                   : nullptr;
    }
};

class UnitTable {
public:
    // Made if there is none.
    DeviceTable& device(uint64_t id);
    // Returns its position.
    uint32_t add(DeviceTable& device, const sched::UnitState& unit, Owner owner);
    // The unit as it is now, with the same id, priority and process. False: it is as before.
    bool update(DeviceTable& device, uint32_t at, const sched::UnitState& unit);
    // Another unit may take its position: returns whose that is, which has to be told. No owner: none does.
    Owner remove(DeviceTable& device, uint32_t at);
    // How many of the device's units are that user's.
    uint32_t units_of(uint64_t device, const UserLimits* user) const;
    // Everything must be decided anew.
    void mark_all();

    // Devices to be decided about; the caller empties it.
    std::vector<DeviceTable*>& dirty() { return dirty_; }
    const std::unordered_map<uint64_t, std::unique_ptr<DeviceTable>>& devices() const { return devices_; }
    // It has no units.
    void erase(uint64_t device) { devices_.erase(device); }

    void mark(DeviceTable& device);
    // All of it must be decided anew.
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
