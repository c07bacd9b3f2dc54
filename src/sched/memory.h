// What the core remembers of units and devices between two decisions. Not thread-safe. Allocates only when the units
// given differ from those given before.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sched/core.h"
#include "sched/expectation.h"
#include "sched/grace.h"
#include "sched/guard.h"
#include "sched/starvation.h"

namespace xsched::sched {

struct UnitMemory {
    UnitMemory(uint64_t unit_id, int64_t now_ns) : id(unit_id), starvation(now_ns), since_ns(now_ns) {}

    uint64_t id;
    Grace grace;
    Expectation expectation;
    Starvation starvation;
    bool suspended = false;  // the last verdict, and since when
    int64_t since_ns;
    int64_t kept_off_ns = 0;  // with work to do, since it was suspended last
};

// The units of one device: order[begin, end).
struct DeviceMemory {
    uint64_t device = 0;
    uint32_t begin = 0;
    uint32_t end = 0;
    uint32_t eligible = 0;  // of them, as of the last decision
    bool watched = false;   // whether it matters when one of them becomes ready or idle
    Guard guard{};
};

class Memory {
public:
    // After this, units()[i] belongs to given[i]; what is not given any more is forgotten.
    void follow(std::span<const UnitState> given, int64_t now_ns);

    std::vector<UnitMemory>& units() { return units_; }
    std::vector<DeviceMemory>& devices() { return devices_; }
    // Positions of the units given, sorted by device; within a device in the order given.
    const std::vector<uint32_t>& order() const { return order_; }

private:
    bool follows(std::span<const UnitState> given) const;
    void remember_units(std::span<const UnitState> given, int64_t now_ns);
    void remember_devices(std::span<const UnitState> given);

    std::vector<UnitMemory> units_;
    std::vector<uint64_t> unit_devices_;  // in the order of units_
    std::vector<DeviceMemory> devices_;
    std::vector<uint32_t> order_;
};

}  // namespace xsched::sched
