// Commands that print state: list, status, server, options. Each prints to standard output and returns the exit status.
#pragma once

#include "cli/server_link.h"
#include "cli/targets.h"

namespace xsched::cli {

// Prints the queues, in 80 columns or (`wide`) with all columns.
int show_list(bool wide, bool json);
int show_limits(bool json);
// Returns what a limit is, and how it is taken back.
std::string limit_sentence(const std::string& name, const std::string& value);
// Says that a control group with limits is not there.
std::string group_waits(const std::string& path);
// Prints the promises of xcli admit, and how many were kept.
int show_promises(bool json);
// Prints the status of these programs; of all, if none is given.
int show_status(const Target& target, bool json);
int show_server(bool json);
// Prints the environment variables; with `debug`, the keys of XSCHED_DEBUG.
int show_options(bool debug, bool json);
// Explains the keys of --json.
int show_fields(const std::string& key, bool json);

// Writes text to standard output. Throws Failure if it cannot be written, as when a disk is full.
void print(const std::string& text);
// Prints text for people, folded to the width of their terminal (console/fold.h).
void print_text(const std::string& text);

}  // namespace xsched::cli
