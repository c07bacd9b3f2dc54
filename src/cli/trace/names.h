// How a trace names programs, queues and devices, and says why something is held: as the other commands do. Pure.
#pragma once

#include <string>

#include "cli/trace/timeline.h"

namespace xsched::cli {

// "app (17429)"; "another user's program".
std::string program_name(const Traced& traced, uint32_t client);
// "queue 1": numbered within its program, from 1.
std::string queue_name(uint32_t slot);
// "app (17429) queue 1"
std::string line_name(const Traced& traced, const Line& line);
// "CPU:fc8da570 (opencl)"
std::string device_label(const Traced& traced, uint64_t device);
// "behind app (17429)", or why; empty: not known.
std::string held_for(const Traced& traced, const TracedCause& cause);
std::string reason_sentence(const Traced& traced, uint32_t reason);
// "opencl"; empty: not known.
std::string platform_of_client(const Traced& traced, uint32_t client);
// How queues of that client are kept off, in its platform's words: "gate", "hold"; empty: none.
std::string mechanism_word(const Traced& traced, uint32_t client, uint32_t mechanism);
std::string mechanism_says(const Traced& traced, uint32_t client, uint32_t mechanism);

}  // namespace xsched::cli
