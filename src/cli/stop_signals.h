// For commands that go on until somebody ends them. The handlers are the process's; any thread may ask.
#pragma once

namespace xsched::cli {

// From now on SIGTERM and SIGINT end nothing by themselves, and wake what waits.
void stop_on_signals();
bool told_to_stop();

}  // namespace xsched::cli
