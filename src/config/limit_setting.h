// The limits of users (limits.def), and how people write them. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace xsched::config {

enum class Limit : unsigned {
#define XSCHED_LIMIT(id, name, unit, ordinary, trusted, together, help) id,
#include "config/limits.def"
#undef XSCHED_LIMIT
    kCount
};
inline constexpr size_t kLimits = static_cast<size_t>(Limit::kCount);

// The first number of users that this machine does not know. No user of it has a uid from here on: many programs take
// them for negative (systemd's UIDS-GIDS says so).
inline constexpr uid_t kFirstApart = 0x80000000;

struct LimitInfo {
    const char* name;
    const char* unit;
    int64_t ordinary;
    int64_t trusted;
    int64_t together;  // for all ordinary users together
    int64_t most;  // the largest value that can be set
    const char* help;
};
const LimitInfo& limit_info(Limit limit);
// Returns whether the limit is written as a size, such as 20GiB.
bool is_size(const LimitInfo& info);
std::optional<Limit> find_limit(const std::string& name);

// A value given by a person, for one user or for all users.
struct LimitSetting {
    std::optional<uid_t> user;
    Limit limit = Limit::kClients;
    int64_t value = 0;
    bool taken_back = false;  // the value is kTakenBack
};
// The value that takes a limit back: what counts without it is in force again.
inline constexpr const char* kTakenBack = "default";
// Parses "clients=500", "alice:highest-priority=50" or "1000:tools=default". Throws std::runtime_error with a sentence.
// `names`: user names are allowed; looking one up may take long.
LimitSetting read_limit(const std::string& text, bool names);
// Returns "a whole number from 0 to 100", or "a size from 0 to 256TiB".
std::string range_text(int64_t least, int64_t most, bool is_size);
// Parses a text that must be a decimal number as a whole.
bool read_number(const std::string& text, int64_t* number);

}  // namespace xsched::config
