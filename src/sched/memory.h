// What the core remembers of units and devices between two decisions. Not thread-safe. Allocates only when the units of
// a device are others than before.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sched/claim.h"
#include "sched/expectation.h"
#include "sched/grace.h"
#include "sched/guard.h"
#include "sched/ranks.h"
#include "sched/starvation.h"
#include "sched/unit.h"

namespace xsched::sched {

inline constexpr uint32_t kNowhere = UINT32_MAX;

struct UnitMemory {
    UnitMemory(uint64_t unit_id, int64_t now_ns) : id(unit_id), since_ns(now_ns), starvation(now_ns) {}

    uint64_t id;
    uint32_t place = kNowhere;  // among the eligible
    bool suspended = false;     // the last verdict, and since when
    bool timed = false;         // its wish may change by itself
    bool dirty = false;         // judge it anew, whatever the policy answers
    bool inverted = false;      // it makes room for a unit of its own process, whose progress it is judged by
    int64_t since_ns;
    Expected expected;  // it wants the device for nothing else
    Starvation starvation;
    Claim claim;
    Expectation expectation;
    Grace grace;
};

// What letting a unit in by mistake costs a more urgent one, and what it needs to be off the device.
struct Cost {
    int64_t there_ns = 0;
    int64_t switch_ns = 0;
    int64_t off_ns = 0;
};

// The same of all units that are less urgent than some rank.
struct LessUrgent {
    Processes processes;
    int64_t there_ns = 0;
    Largest there_and_switch_ns;
    int64_t off_ns = 0;

    void add(const LessUrgent& more) {
        processes.add(more.processes);
        there_ns = std::max(there_ns, more.there_ns);
        there_and_switch_ns.add(more.there_and_switch_ns);
        off_ns = std::max(off_ns, more.off_ns);
    }
};

struct DeviceMemory {
    uint64_t composition = 0;
    uint64_t policy = 0;  // the number of the policy that answered last
    std::vector<UnitMemory> units;   // by position, like these:
    std::vector<Verdict> verdicts;
    std::vector<std::pair<uint64_t, uint32_t>> by_id;  // sorted

    // The eligible units, which the policy is asked about.
    std::vector<uint32_t> at;  // position of each
    std::vector<policy::Unit> asked;
    std::vector<policy::Choice> answers;
    std::vector<policy::Choice> answered;  // the time before
    std::vector<uint8_t> preemptible;
    uint32_t preemptible_count = 0;
    std::vector<uint8_t> ready;
    std::vector<Cost> costs;
    Ranks ranks;
    std::vector<LessUrgent> less_urgent;  // by rank
    bool costs_changed = true;
    std::vector<uint32_t> timed;  // those whose wish may change by itself
    std::vector<std::pair<uint64_t, Expected>> expected;  // ids of those that announced a burst, sorted

    bool watched = false;
    Guard guard{};
    int64_t due_ns = 0;          // a verdict may change by itself, the units as they are; 0: never
    int64_t looked_at_all_ns = 0;
    int64_t decided_ns = 0;
    std::vector<uint32_t> changed;

    // The position of a unit of this device, else kNowhere.
    uint32_t find(uint64_t id) const;
};

class Memory {
public:
    // The device, with units[i] belonging to given.units[i]; what is not given any more is forgotten. `changed`: its units
    // are others than before.
    DeviceMemory& follow(const DeviceUnits& given, int64_t now_ns, bool* changed);
    void forget(uint64_t device) { devices_.erase(device); }
    std::unordered_map<uint64_t, DeviceMemory>& devices() { return devices_; }

private:
    std::unordered_map<uint64_t, DeviceMemory> devices_;
};

}  // namespace xsched::sched
