// The server's options, from configuration files, environment and command line. Any thread, one at a time.
#pragma once

#include "server/options.h"

namespace xsched::server {

// Reads the files and the environment again, and adds the command line's flags.
config::Configuration read_configuration(const Options& options);
// Takes the configuration into the options. Throws std::runtime_error with a sentence if a flag is wrong.
void take_configuration(Options& options, config::Configuration configuration);
// Limits of users and settings of groups, as texts: "NAME=NUMBER", "USER:NAME=NUMBER" or "/CGROUP:NAME=NUMBER".
struct AnyLimit {
    std::vector<LimitSetting> limits;
    std::vector<GroupSetting> groups;
    void add(const std::string& text);  // throws std::runtime_error
};

// Takes the limits of the configuration and of the flags into the options. Throws std::runtime_error.
void take_limits(Options& options);
// Returns the limit that the files or the command line set in place of this one; null: neither does.
const ConfiguredLimit* configured_limit(const Options& options, const LimitSetting& setting);
const GroupSetting* configured_limit(const Options& options, const GroupSetting& setting);

}  // namespace xsched::server
