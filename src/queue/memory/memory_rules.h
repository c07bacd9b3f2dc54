// The rules for the process's memory: those of the environment, of the program itself (XHintEvictable,
// XHintMemoryLimit, XHintMemoryGuarantee), and of a person. The last of these counts. Any thread.
#pragma once

#include <cstdint>

#include "base/hints.h"
#include "ipc/layout.h"

namespace xsched::queue {

// Returns the hints with the rules in force. `header`: where a person's are; nullptr: nowhere.
base::Hints memory_rules(const ipc::Header* header);
// Keeps a rule that the program itself tells.
void keep_told_memory_rule(base::HintId id, int64_t value);
// Replaces those hints that the program has told so.
void take_told_memory_rules(base::Hints& hints);

}  // namespace xsched::queue
