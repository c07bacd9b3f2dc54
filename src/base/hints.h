// The hints of one queue or unit as plain numbers, and what hints.def says about each. Any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "xsched/types.h"

namespace xsched::base {

// Kinds of values that a hint may have; explained in hints.def.
enum class HintKind : uint8_t { kNumber, kTime, kTarget, kName, kBytes, kSwitch };
enum class HintMerge : uint8_t { kKey, kLargest, kTighter };
enum class HintScope : uint8_t { kQueue, kProcess, kJoint };
enum class HintInRun : uint8_t { kNoRun, kUsual, kMemory, kPolicies };

// Hints in stored form: a kTime is stored as a CLOCK_MONOTONIC time in nanoseconds.
struct Hints {
#define XSCHED_HINT(field, type, kind, least, most, fallback, ...) type field = fallback;
#include "base/hints.def"
#undef XSCHED_HINT

    bool operator==(const Hints&) const = default;
};

// One id per field of Hints, with the same name.
enum class HintId : uint8_t {
#define XSCHED_HINT(field, ...) field,
#include "base/hints.def"
#undef XSCHED_HINT
};

struct HintInfo {
    HintId id;
    const char* name;
    HintKind kind;
    int64_t least;
    int64_t most;
    int64_t fallback;
    HintMerge merge;
    HintScope scope;
    const char* function;
    int64_t accepts_least;
    int64_t accepts_most;
    const char* option;  // option and the three after it may be null
    const char* request;
    const char* listed;
    const char* words;
    HintInRun in_run;
    const char* help;

    // Converts a value from a program's form to the stored form: brings it in range; a kTime becomes a point in time
    // from microseconds from now.
    constexpr int64_t kept(int64_t told, int64_t now_ns) const {
        told = std::clamp(told, least, most);
        if (kind != HintKind::kTime) return told;
        return told > 0 ? now_ns + told * 1000 : 0;
    }
    // Converts a stored value back to the program's form; a time that is over becomes 0.
    constexpr int64_t told(int64_t kept, int64_t now_ns) const {
        if (kind != HintKind::kTime) return kept;
        return kept > now_ns ? (kept - now_ns) / 1000 : 0;
    }
    // Checks a stored value of unknown origin: brings a number in range, and drops a time that is absurd or has been
    // over for more than `slack_ns`.
    constexpr int64_t trusted(int64_t kept, int64_t now_ns, int64_t slack_ns) const {
        if (kind != HintKind::kTime) return std::clamp(kept, least, most);
        return kept > 0 && kept > now_ns - slack_ns && kept <= now_ns + most * 1000 ? kept : 0;
    }
    constexpr bool accepts(int64_t told) const { return told >= accepts_least && told <= accepts_most; }
};

inline constexpr HintInfo kHints[] = {
#define XSCHED_HINT(field, type, kind, least, most, fallback, merge, scope, function, accepts_least, accepts_most, \
                    option, request, listed, words, in_run, help)                                                  \
    {HintId::field,                                                                                                \
     #field,                                                                                                       \
     HintKind::kind,                                                                                               \
     least,                                                                                                        \
     most,                                                                                                         \
     fallback,                                                                                                     \
     HintMerge::merge,                                                                                             \
     HintScope::scope,                                                                                             \
     #function,                                                                                                    \
     accepts_least,                                                                                                \
     accepts_most,                                                                                                 \
     option,                                                                                                       \
     request,                                                                                                      \
     listed,                                                                                                       \
     words,                                                                                                        \
     HintInRun::in_run,                                                                                            \
     help},
#include "base/hints.def"
#undef XSCHED_HINT
};
inline constexpr size_t kHintCount = sizeof(kHints) / sizeof(kHints[0]);

constexpr const HintInfo& hint_info(HintId id) { return kHints[static_cast<size_t>(id)]; }

template <HintMerge rule, typename T>
constexpr T merged(T a, T b) {
    if constexpr (rule == HintMerge::kLargest) return std::max(a, b);
    if constexpr (rule == HintMerge::kTighter) return a == 0 || b == 0 ? a + b : std::min(a, b);
    return a;
}

// Merges `more` into `all`, for a unit with several queues.
constexpr void merge_hints(Hints& all, const Hints& more) {
#define XSCHED_HINT(field, type, kind, least, most, fallback, merge, ...) \
    all.field = merged<HintMerge::merge>(all.field, more.field);
#include "base/hints.def"
#undef XSCHED_HINT
}

constexpr int64_t get_hint(const Hints& hints, HintId id) {
    switch (id) {
#define XSCHED_HINT(field, ...) \
    case HintId::field: return hints.field;
#include "base/hints.def"
#undef XSCHED_HINT
    }
    return 0;
}

// Sets one hint. `kept` must be within the hint's range.
constexpr void set_hint(Hints& hints, HintId id, int64_t kept) {
    switch (id) {
#define XSCHED_HINT(field, type, ...) \
    case HintId::field: hints.field = static_cast<type>(kept); break;
#include "base/hints.def"
#undef XSCHED_HINT
    }
}

}  // namespace xsched::base
