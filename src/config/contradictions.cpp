#include "config/contradictions.h"

#include <utility>

#include "config/hint_text.h"

namespace xsched::config {
namespace {

using base::HintId;

using Called = std::function<std::string(const base::HintInfo&)>;

class Told {
public:
    Told(std::span<const std::optional<int64_t>, base::kHintCount> hints, const Called& called)
        : hints_(hints), called_(called) {}
    bool has(HintId id) const { return of(id) != base::hint_info(id).fallback; }
    int64_t of(HintId id) const { return hints_[static_cast<size_t>(id)].value_or(base::hint_info(id).fallback); }
    // "share 30"
    std::string words(HintId id) const {
        const base::HintInfo& hint = base::hint_info(id);
        return called_(hint) + " " + text_of_hint(hint, of(id));
    }

private:
    std::span<const std::optional<int64_t>, base::kHintCount> hints_;
    const Called& called_;
};

}  // namespace

std::vector<Contradiction> contradictions(std::span<const std::optional<int64_t>, base::kHintCount> hints,
                                          const Called& called) {
    const Told given(hints, called);
    std::vector<Contradiction> all;
    if (given.has(HintId::background) && given.has(HintId::priority) && given.of(HintId::priority) > PRIORITY_MIN)
        all.push_back(
            {HintId::priority, HintId::background,
             given.words(HintId::priority) + " has no effect beside " + called(base::hint_info(HintId::background))});
    for (const auto& [wanted, most] :
         {std::pair(HintId::share, HintId::limit), std::pair(HintId::memory_guarantee, HintId::memory_limit)})
        if (given.has(most) && given.of(wanted) > given.of(most))
            all.push_back({wanted, most,
                           given.words(wanted) + " has no effect beyond " + given.words(most) +
                               ", which is the most that the program gets"});
    for (const HintId priority : {HintId::lax_priority, HintId::critical_priority})
        if (given.has(priority) && !given.has(HintId::laxity_us))
            all.push_back(
                {priority, HintId::laxity_us,
                 given.words(priority) + " has no effect without " + called(base::hint_info(HintId::laxity_us))});
    return all;
}

}  // namespace xsched::config
