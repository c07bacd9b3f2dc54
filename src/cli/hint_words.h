// The hints that a command line gives.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "base/hints.h"

namespace xsched::cli {

struct HintWords {
    std::optional<int64_t> values[base::kHintCount];
    std::set<std::string> remarks;  // about values that may not mean what they say

    std::optional<int64_t>& of(const base::HintInfo& hint) { return values[static_cast<size_t>(hint.id)]; }
    const std::optional<int64_t>& of(const base::HintInfo& hint) const { return values[static_cast<size_t>(hint.id)]; }
};

}  // namespace xsched::cli
