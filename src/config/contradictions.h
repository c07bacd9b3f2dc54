// Hints of one program of which one takes away the effect of another. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/hints.h"

namespace xsched::config {

struct Contradiction {
    base::HintId one;  // has no effect, or less than it says
    base::HintId other;
    std::string sentence;
};
// `hints`: by HintId. A hint that has its default counts as not given.
std::vector<Contradiction> contradictions(std::span<const std::optional<int64_t>, base::kHintCount> hints);

}  // namespace xsched::config
