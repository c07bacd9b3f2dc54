// The configuration, from files and the environment. Any thread.
//
// A value may have several sources: the default, the administrator's files, the user's, the environment, flags. The
// last of them counts. A wrong value is a problem, and costs only itself.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/files.h"
#include "config/node.h"
#include "config/rule.h"
#include "config/settings.h"

namespace xsched::config {

struct Value {
    std::string text;
    std::string source;  // "FILE:LINE", a variable, a flag; empty: the default
    bool operator==(const Value&) const = default;
};

struct Configuration {
    std::map<std::string, Value> settings;  // by Setting::name; only those that a source has
    // Limits as `xserver --limit` takes them, by all before the equals sign: "highest-priority", "alice:share".
    std::map<std::string, Value> limits;
    std::vector<Rule> rules;  // the administrator's, then the user's
    std::vector<Rule> users_rules;  // the latter alone
    std::vector<Problem> problems;

    // Returns the value that counts.
    Value value(const Setting& setting) const;
    std::string text(const std::string& name) const;
    // Returns whether something in the files does not count.
    bool is_wrong() const;
    // Returns the problems, each as a line.
    std::string complaints() const;
};

// Adds what a file says, on top of the earlier ones. Its problems are in the order of its lines.
void add_file(Configuration& configuration, const File& file);
// Adds what this process's environment says.
void add_environment(Configuration& configuration);
Configuration read_configuration(const Folders& folders);

// Sets the variables of [options] that the environment does not have. Removes variables that are problems, so that a
// program that is started next does not complain of them again. Call it before other threads are started.
void put_into_environment(const Configuration& configuration);

}  // namespace xsched::config
