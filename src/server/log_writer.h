// Writes the log from a bounded ring on a thread of its own. A reader of standard error, or of a FIFO named by
// XLOG_FILE, may block a writer forever. A line that finds the ring full is lost; the number of lost lines is logged
// once there is room.
//
// There is one writer per process. Any thread may add lines. Only main() calls begin and end.
#pragma once

namespace xsched::server {

// Starts a thread that writes the log, so that XLOG_... never blocks from now on. If the system has no thread left,
// lines are written directly as without this call.
void begin_log_writer();
// Waits at most 200 ms until the ring is written.
void end_log_writer();

}  // namespace xsched::server
