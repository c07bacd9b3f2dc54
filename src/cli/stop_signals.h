// Signals for commands that run until they are told to stop. The handlers are the process's; any thread may ask.
#pragma once

namespace xsched::cli {

// Makes SIGTERM and SIGINT wake waiting calls from now on instead of ending the process.
void stop_on_signals();
bool told_to_stop();

}  // namespace xsched::cli
