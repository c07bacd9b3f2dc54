// The commands that look: list, status, top, options. Each prints to standard output and returns the exit status.
#pragma once

#include <cstdint>
#include <optional>

#include "cli/server_link.h"

namespace xsched::cli {

int show_list(bool json);
int show_limits(bool json);
int show_status(std::optional<int64_t> pid, bool json);
int show_server(bool json);
int show_options(bool json);
// Refreshes every `interval_s` until q or Ctrl-C; prints once if standard output is no terminal.
int show_top(double interval_s, bool json);

// The answers to `request`, page after page, as one: the lists `member` of all of them joined.
Json ask_all(ServerLink& link, Json request, const char* member);

// What list and status print, for top.
std::string queue_table(const Json& list);
std::string status_text(const Json& status);

void print(const std::string& text);

}  // namespace xsched::cli
