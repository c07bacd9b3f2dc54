// The rules for the process's memory: those of the environment, of the program itself (XHintEvictable,
// XHintMemoryLimit, XHintMemoryGuarantee), and of a person. The last of these counts. A rule of the configuration
// counts where none of them has one. Any thread.
#pragma once

#include <cstdint>

#include "base/hints.h"
#include "ipc/layout.h"

namespace xsched::queue {

// Returns the hints with the rules in force. `header`: where a person's are; nullptr: nowhere.
base::Hints memory_rules(const ipc::Header* header);
// Keeps a rule that the program itself tells.
void keep_told_memory_rule(base::HintId id, int64_t value);
// Returns a bit for each rule that the program has told so.
uint32_t told_memory_rules();
// Replaces those hints that the program has told so.
void take_told_memory_rules(base::Hints& hints);

}  // namespace xsched::queue
