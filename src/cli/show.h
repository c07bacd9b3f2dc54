// The commands that look: list, status, server, options. Each prints to standard output and returns the exit status.
#pragma once

#include <cstdint>
#include <optional>

#include "cli/server_link.h"

namespace xsched::cli {

// In 80 columns, or with all that there is.
int show_list(bool wide, bool json);
int show_limits(bool json);
int show_status(std::optional<int64_t> pid, bool json);
int show_server(bool json);
int show_options(bool json);

// The answers to `request`, page after page, as one: the lists `member` of all of them joined.
Json ask_all(ServerLink& link, Json request, const char* member);

void print(const std::string& text);

}  // namespace xsched::cli
