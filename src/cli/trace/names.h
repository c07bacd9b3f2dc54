// Names programs, queues and devices in a trace, and says why a queue is held, as the other commands do. Pure.
#pragma once

#include <string>

#include "cli/trace/timeline.h"

namespace xsched::cli {

// Returns "app (17429)", or "another user's program".
std::string program_name(const Traced& traced, uint32_t client);
// Returns "queue 1"; queues are numbered within their program, from 1.
std::string queue_name(uint32_t slot);
// Returns "app (17429) queue 1".
std::string line_name(const Traced& traced, const Line& line);
// "device 0, pthread-skylake (opencl)"; of a queue that is gone "CPU:fc8da570 (opencl)"
std::string device_label(const Traced& traced, uint64_t device);
// Returns "behind app (17429)", or another reason; empty: not known.
std::string held_for(const Traced& traced, const TracedCause& cause);
// Returns "held behind app (17429)", "held" with another reason, or "suspended": by a person.
std::string held_text(const Traced& traced, const TracedCause& cause);
std::string reason_sentence(const Traced& traced, uint32_t reason);
// Returns the client's platform, such as "opencl"; empty: not known.
std::string platform_of_client(const Traced& traced, uint32_t client);
// Returns the mechanism's word on that client's platform, such as "gate" or "hold"; empty: none.
std::string mechanism_word(const Traced& traced, uint32_t client, uint32_t mechanism);
std::string mechanism_says(const Traced& traced, uint32_t client, uint32_t mechanism);

}  // namespace xsched::cli
