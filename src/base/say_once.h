// One line for each bad value in a guest process. libpreempt, the backends and the shims each have a copy of this room
// and read the same environment. A complaint about the environment is written by the first of them alone.
// Any thread, also inside fork's child; no lock, no allocation.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "base/fnv.h"

// libpreempt's. Programs of our own have no libpreempt and no second copy: there the address is null.
extern "C" [[gnu::weak, gnu::visibility("default")]] bool xq_is_first_to_say(uint32_t sentence);

namespace xsched::base {

// Returns whether no library of this process has said yet what these words name: a variable, its value, and so on.
inline bool is_first_to_say(std::initializer_list<const char*> words) {
    Fnv32 hash;
    for (const char* word : words) hash.add(word, strlen(word) + 1);
    return xq_is_first_to_say == nullptr || xq_is_first_to_say(hash.value());
}

}  // namespace xsched::base
