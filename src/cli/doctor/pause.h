// The findings of the step "pause" of xcli doctor --run: a pause of all send queues of a program on an Ascend NPU.
// Pure. Any thread.
#pragma once

#include <string>

#include "cli/server_link.h"

namespace xsched::cli {

// Returns a sentence that says why a pause is of no use; empty if it holds work and keeps results.
std::string why_no_pause(const Json& found);
// Returns a sentence that says what a pause did, whether or not it is of use; empty if there was none.
std::string pause_text(const Json& found);

}  // namespace xsched::cli
