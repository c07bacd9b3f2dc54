// The facts of a program in words: lines below the headline of xcli explain, and pieces that top shares. Pure.
#pragma once

#include <string>

#include "cli/explain/explained.h"
#include "cli/server_link.h"

namespace xsched::cli {

// Percent of its devices together in the last second (0), ten (1) or sixty (2); negative: not known.
double got_percent(const Json& program, size_t window);
// "GPU:1f (cuda)", several divided by commas.
// "device 0, NVIDIA H100 (cuda)"
std::string device_called(const Json& device);
std::string devices_of(const Json& program);
// "device 0, MI308X (hip) has 30 compute queues of all programs and takes 24 at once: ...", of the first such device of
// the program's; empty: it has none.
std::string crowd_text(const Json& program);
// "812 us", "2.1 ms", "1.5 s".
std::string length_text(double ms);
// How long a program was held in a window of `seconds`. The server counts in tenths of a second and may count one too
// many: nobody is held for longer than the window.
double held_ms(const Json& window);
void add_details(const Json& program, Explained& explained);

}  // namespace xsched::cli
