// The rules for the process's memory: those of the environment, of the program itself (XHintEvictable,
// XHintMemoryLimit, XHintMemoryGuarantee), and of a person. The last of these counts. A rule of the configuration
// counts where none of them has one. Any thread.
#pragma once

#include <cstdint>

#include "base/hints.h"
#include "ipc/layout.h"

namespace xsched::queue {

// Returns the process's options with the memory rules in force. `header`: has the rules that a person or the
// configuration set; nullptr: there are none.
base::Hints memory_rules(const ipc::Header* header);
// Stores a rule that the program itself sets by a call of the hint API, and replaces an earlier one.
void keep_told_memory_rule(base::HintId id, int64_t value);
// Returns a bit for each rule that the program has set with keep_told_memory_rule (ipc::bit_of).
uint32_t told_memory_rules();
// Overwrites `hints` with the rules that the program has set with keep_told_memory_rule. Other hints stay as they are.
void take_told_memory_rules(base::Hints& hints);

}  // namespace xsched::queue
