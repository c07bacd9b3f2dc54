// Runs those units that have the largest key among the units that want the device. HPF, CHPF, LAX and AWF have this in
// common. Pure; any thread.
#pragma once

#include <span>

#include "policy/policy.h"

namespace xsched::policy {

// Decides. `key(i)`: key of the unit at place i. Suspended units name the oldest unit with the largest key, so that the
// named unit does not change with the order of the units. Returns that unit's place, or units.size() if no unit wants
// the device.
template <typename Key>
size_t run_largest(std::span<const Unit> units, std::span<Choice> choices, Key key) {
    size_t top = units.size();
    for (size_t i = 0; i < units.size(); ++i) {
        if (!units[i].wants) continue;
        const bool first = top == units.size() || key(i) > key(top);
        if (first || (key(i) == key(top) && units[i].id < units[top].id)) top = i;
    }
    if (top == units.size()) return top;
    for (size_t i = 0; i < units.size(); ++i)
        if (key(i) < key(top)) choices[i] = {.run = false, .by = units[top].id};
    return top;
}

// A policy that decides by one member of a unit.
template <auto kMember>
class LargestFirst : public Policy {
public:
    int64_t choose(std::span<const Unit> units, int64_t /*now_ns*/, std::span<Choice> choices) override {
        run_largest(units, choices, [units](size_t i) { return units[i].*kMember; });
        return 0;
    }
};

}  // namespace xsched::policy
