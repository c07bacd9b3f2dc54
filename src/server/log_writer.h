// The log's way out. Lines go into a bounded ring, and a thread of its own writes them: a reader of standard error, or
// of a FIFO named by XLOG_FILE, may keep a writer waiting for ever. A line that finds the ring full is lost. How many
// were lost is said once there is room.
//
// One per process. Lines may come from any thread; begin and end belong to main().
#pragma once

namespace xsched::server {

// From here on XLOG_... never waits. Without a thread for it (the system has none) lines are written as before.
void begin_log_writer();
// Waits for what is in the ring, at most 200 ms.
void end_log_writer();

}  // namespace xsched::server
