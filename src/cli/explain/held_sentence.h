// How long a program was held, and behind which other one. Pure.
#pragma once

#include <string>

#include "cli/server_link.h"

namespace xsched::cli {

// Returns, for example, "pid 812 (server, priority 10)".
std::string whom(const Json& by);
// Returns whether the hold has been over for a second or longer.
bool is_over(const Json& held, const Json& program);
// Returns the shortest time window with holds that someone may notice, which shows what is going on now; null: none has
// such holds.
const Json* telling_window(const Json& program);
// Returns "not us: XSched did not hold it in the last 60 s", or for how little it did, with `rest` behind it.
std::string not_us(const Json& program, const std::string& rest);
// Returns what the holds of a window were for, if several causes have a good part of them: "of these: 119 ms (10 times)
// behind pid 7 (server, priority 10); 90.0 ms (21 times) by a limit".
std::string held_parts(const Json& held);
// Returns "held 41.0 ms in the last second: 37 times behind pid 1002 (server, priority 10), longest 2.1 ms".
std::string held_sentence(const Json& held, const Json& program);

}  // namespace xsched::cli
