// A program's facts in words: lines below the headline of xcli explain, some of which top shares. Pure.
#pragma once

#include <string>

#include "base/text.h"
#include "cli/explain/explained.h"
#include "cli/server_link.h"

namespace xsched::cli {

// Returns which percentage of its devices' time the program got in the last second (0), ten (1) or sixty (2); negative:
// not known.
double got_percent(const Json& program, size_t window);
// Returns the names of its devices (device_called.h), separated by commas.
std::string devices_of(const Json& program);
// Returns, for example, "device 0, MI308X (hip) has 30 compute queues of all programs and takes 24 at once: ...", for
// the program's first such device; empty if it has none.
std::string crowd_text(const Json& program);
using base::length_text;
// Returns how long a program was held in a window of `seconds`, at most the window's length. The server counts in
// tenths of a second and may count one too many.
double held_ms(const Json& window);
void add_details(const std::string& policy, const Json& program, Explained& explained);

}  // namespace xsched::cli
