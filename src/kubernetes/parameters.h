// The opaque parameters of DeviceClasses and claims for the driver: hints for the programs, and a class's ceilings. Any
// thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/hints.h"
#include "kubernetes/json.h"

namespace xsched::kubernetes {

struct Parameter {
    const char* name;
    base::HintId hint;
};
inline constexpr Parameter kParameters[] = {
    {"priority", base::HintId::priority},
    {"limit", base::HintId::limit},
    {"latencyTarget", base::HintId::slo_p99},
    {"evictable", base::HintId::evictable},
};
// The most urgent priority of a class's programs: a ceiling, which only a class may have.
inline constexpr const char* kMostUrgent = "mostUrgentPriority";

class Parameters {
public:
    // Adds the parameters of one entry. A later value counts, except that a limit never grows and a priority never
    // passes the ceiling. Throws std::runtime_error with a sentence if something is unknown or wrong.
    void add(const Json& parameters, bool of_class);
    // Returns the parameters as options of `xcli container`: "--priority", "5" and so on.
    std::vector<std::string> words() const;
    std::optional<int64_t> most_urgent() const { return most_urgent_; }
    // Returns the percent of a device that the programs get at most; 0: all of it.
    int64_t limit() const;

private:
    void take(const Parameter& parameter, const Json& value);

    std::map<base::HintId, int64_t> hints_;
    std::optional<int64_t> most_urgent_;
};

}  // namespace xsched::kubernetes
