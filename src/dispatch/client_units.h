// Groups the queues of one client into units: queues of equal priority on one device are one unit. Puts the units into
// the table of all units. Not thread-safe. Allocates only for a unit that was never there before.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/side_by_side.h"
#include "dispatch/client_view.h"
#include "dispatch/prices.h"
#include "dispatch/slot_reader.h"
#include "dispatch/unit_table.h"
#include "sched/facts/unit.h"

namespace xsched::dispatch {

// The key by which queues of one client become one unit.
struct UnitKey {
    uint64_t device = 0;
    int32_t priority = 0;
    bool suspended_by_person = false;
    bool apart = false;  // level 3 takes these queues off without the rest of the process
    uint64_t queue = 0;  // the queue's handle, if each queue shares its device by itself
    bool operator==(const UnitKey&) const = default;
};
struct UnitKeyHash {
    size_t operator()(const UnitKey& key) const {
        const uint64_t rest = uint64_t{static_cast<uint32_t>(key.priority)} << 1 | (key.suspended_by_person ? 1 : 0);
        return (key.device ^ rest << 40 ^ (key.apart ? 1 : 0) ^ key.queue << 1) * 0x9e3779b97f4a7c15U;
    }
};

// A unit of the client.
struct OwnUnit {
    UnitKey key;
    bool here = false;    // in the table
    uint32_t queues = 0;  // of this scan
    int64_t worked_ns = 0;  // the sum over all of them
    int64_t open_ns = 0;  // likewise, the most
    base::SideBySide use;
    DeviceTable* table = nullptr;
    uint32_t at = 0;
    sched::UnitState state;  // as of the present scan

    const sched::UnitState& known() const { return table->units[at]; }
    const sched::Verdict& verdict() const { return table->verdict(at); }
    bool has_verdict() const { return here && table->is_decided(); }
};

class ClientUnits {
public:
    ClientUnits(ClientSlots& client, const ClientView& view, UnitTable& table)
        : client_(client),
          region_(*view.region),
          user_(view.limits.get()),
          client_id_(view.id),
          by_queue_(view.shares_by_queue),
          table_(table) {}

    void begin_scan();
    // Adds a queue as just read, and the device time that it used (`part`), to its unit. Returns the index of the unit.
    // `guess`: the unit that the queue had so far, which is mostly right.
    uint32_t add(const QueueNumbers& numbers, const sched::Costs& costs, bool suspended_by_person, uint32_t guess,
                 base::SideBySide::Part& part);
    // Publishes the units in the table, with the facts that hold for all of them as of this scan. Removes units without
    // queues. Returns false if `work` did not suffice and some are left.
    bool publish(const sched::UnitState& common, Work& work);
    void remove_all();
    void moved(uint32_t own, uint32_t at) { own_[own].at = at; }

    const OwnUnit& operator[](uint32_t own) const { return own_[own]; }

private:
    uint32_t find(const UnitKey& key, uint32_t guess);
    uint32_t unit_to_join(const UnitKey& key) const;
    void publish(OwnUnit& own, uint32_t at, const sched::UnitState& common, Work& work);
    void charge(const OwnUnit& own, int64_t more_ns, Work& work) const;
    static void count_use(OwnUnit& own);
    void set_account(policy::Unit& unit, uint64_t queue, const policy::Unit& common) const;
    void remove_from_table(OwnUnit& own);
    void release(uint32_t at);

    ClientSlots& client_;
    const ipc::Region& region_;
    UserLimits* user_;
    uint32_t client_id_;
    bool by_queue_;
    UnitTable& table_;
    std::vector<OwnUnit> own_;
    std::unordered_map<UnitKey, uint32_t, UnitKeyHash> own_at_;
    std::vector<uint32_t> free_;
    uint32_t last_unit_ = 0;
    uint32_t published_ = 0;  // of this scan
};

}  // namespace xsched::dispatch
