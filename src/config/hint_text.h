// A hint's value as people write it in a configuration. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/hints.h"
#include "config/node.h"

namespace xsched::config {

// Returns the value, such as 1048576 for "1MiB". Nothing: `complaint` says what would be right.
std::optional<int64_t> read_hint(const base::HintInfo& hint, const Node& node, std::string* complaint);
// Returns whether the hint is a time in microseconds, for which people may write "20ms".
bool is_in_microseconds(const base::HintInfo& hint);
// Returns the values that the hint's variable may have, such as "a whole number from -256 to 255".
std::string wanted_of(const base::HintInfo& hint);
// Returns the option of `xcli run` that sets the hint, such as "--priority".
std::string option_of(const base::HintInfo& hint);
// Returns that option without its dashes, for sentences: "laxity" for laxity_us.
std::string option_word(const base::HintInfo& hint);
// Returns the hint's key in a rule.
std::string rule_key(const base::HintInfo& hint);
// Returns the value as people write it.
std::string text_of_hint(const base::HintInfo& hint, int64_t value);
// Returns the remark that a bare number means bytes, if these are so few that another unit may be meant:
// "--memory-limit 20 means 20 bytes: say 20GiB or 20MiB". Otherwise nothing. `before`: what stands before the number.
std::string few_bytes(const std::string& before, const std::string& number);

}  // namespace xsched::config
