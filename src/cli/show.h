// The commands that look: list, status, server, options. Each prints to standard output and returns the exit status.
#pragma once

#include "cli/server_link.h"
#include "cli/targets.h"

namespace xsched::cli {

// In 80 columns, or with all that there is.
int show_list(bool wide, bool json);
int show_limits(bool json);
// Of these programs; of none: all.
int show_status(const Target& target, bool json);
int show_server(bool json);
// The variables of the environment; `debug`: the keys of XSCHED_DEBUG.
int show_options(bool debug, bool json);
// Explains the keys of --json.
int show_fields(bool json);

void print(const std::string& text);
// For people: in as many columns as they have (console/fold.h).
void print_text(const std::string& text);

}  // namespace xsched::cli
