// Hints of one program of which one takes away the effect of another. Pure; any thread.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/hints.h"
#include "config/hint_text.h"

namespace xsched::config {

struct Contradiction {
    base::HintId one;  // has no effect, or less than it says
    base::HintId other;
    std::string sentence;
};
// `hints`: by HintId. A hint that has its default counts as not given.
// `called`: what the user calls a hint.
std::vector<Contradiction> contradictions(
    std::span<const std::optional<int64_t>, base::kHintCount> hints,
    const std::function<std::string(const base::HintInfo&)>& called = option_word);

}  // namespace xsched::config
