// The limits that users have (limits.def), and how people write them. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace xsched::server {

enum class Limit : unsigned {
#define XSCHED_LIMIT(id, name, unit, ordinary, trusted, together, help) id,
#include "server/limits/limits.def"
#undef XSCHED_LIMIT
    kCount
};
inline constexpr size_t kLimits = static_cast<size_t>(Limit::kCount);

struct LimitInfo {
    const char* name;
    const char* unit;
    int64_t ordinary;
    int64_t trusted;
    int64_t together;  // of all ordinary users
    int64_t most;  // that can be set
    const char* help;
};
const LimitInfo& limit_info(Limit limit);
std::optional<Limit> find_limit(const std::string& name);

// A value given by a person, for one user or for all.
struct LimitSetting {
    std::optional<uid_t> user;
    Limit limit = Limit::kClients;
    int64_t value = 0;
};
// "clients=500", "alice:highest-priority=50", "1000:tools=4". Throws std::runtime_error with a sentence. Without
// `names` users are numbers: looking a name up may take its time.
LimitSetting read_limit(const std::string& text, bool names);
// The whole text must be a decimal number.
bool read_number(const std::string& text, int64_t* number);

}  // namespace xsched::server
