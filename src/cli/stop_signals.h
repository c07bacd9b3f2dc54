// Signals for commands that run until they are told to stop. The handlers are the process's; any thread may ask.
#pragma once

namespace xsched::cli {

// From now on SIGTERM and SIGINT do not end the process, but wake waiting calls.
void stop_on_signals();
bool told_to_stop();

}  // namespace xsched::cli
