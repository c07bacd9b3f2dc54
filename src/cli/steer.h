// Commands that change state: policy, hint, config, suspend, resume, limit, log. Each returns the exit status or throws
// Failure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/hint_words.h"
#include "cli/targets.h"

namespace xsched::cli {

struct PolicyWords {
    bool query = false;
    bool set = false;
    std::string set_name;  // after -s
    bool list = false;  // -n without a name
    std::string name;  // after -n, with -s
};

struct ConfigWords {
    std::optional<int64_t> level;
    std::optional<int64_t> threshold;
    std::optional<int64_t> batch_size;
    bool empty() const { return !level && !threshold && !batch_size; }
};

// Returns the policies that there are: the server's, with the present one; without a server those of this build.
Json ask_policies();
int steer_policy(const PolicyWords& words, bool json);
int steer_hint(const Target& target, const HintWords& words, bool json);
int steer_config(const Target& target, const ConfigWords& words, bool json);
// "clients=500", "alice:highest-priority=50".
int steer_limit(const std::string& setting, bool json);
struct Suspension {
    bool suspend = true;  // false: resume
    bool memory = false;  // its memory goes to the host meanwhile
};
int steer_suspension(const Target& target, const Suspension& what, bool json);
// Shows the server's log level, or changes it.
int steer_log(const std::string& level, bool json);

// "a limit leaves priority 3 of that: ..."
std::string ceiling_sentence(int64_t highest);
// Returns a sentence about a hint that the present policy does not read: {"hint": ..., "used_by": [...]}.
std::string unused_sentence(const std::string& policy, const Json& unused);
// Returns sentences about a hint's consequences that a person might not expect, from the server's answer to it.
std::vector<std::string> hint_remarks(const Json& answer);

}  // namespace xsched::cli
