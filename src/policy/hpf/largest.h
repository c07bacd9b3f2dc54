// Those units run that have the largest key among those that want the device: what HPF, CHPF, LAX and AWF have in
// common. Pure; any thread.
#pragma once

#include <span>

#include "policy/policy.h"

namespace xsched::policy {

// `key(i)`: of the unit at that place. Of equals the oldest is named, whatever their order: others should not make room
// for another one each time. Returns the place of that one, or units.size(): nobody wants the device.
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

}  // namespace xsched::policy
