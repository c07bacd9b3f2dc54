// Writes the log from a bounded ring on a thread of its own. A reader of standard error, or of a FIFO named by
// XLOG_FILE, may block a writer forever. A line that finds the ring full is lost; the number of lost lines is logged
// once there is room.
//
// There is one writer per process. Any thread may add lines. Only main() calls begin and end.
#pragma once

namespace xsched::server {

// From this call on XLOG_... never blocks. If the system has no thread for it, lines are written directly as before.
void begin_log_writer();
// Waits at most 200 ms until the ring is written.
void end_log_writer();

}  // namespace xsched::server
