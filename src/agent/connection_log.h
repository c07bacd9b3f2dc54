// The sentences in the log about the server that a process has or lacks. The agent's thread, or with its lock held.
#pragma once

namespace xsched::agent {

// Logs that the process is connected. `was_told`: the log said before that it runs unscheduled.
void say_connected(int server_pid, const char* path, bool was_told);
// Logs that no server schedules the process. `refusal`: the server's reason; empty: no server answers.
void say_unserved(const char* path, const char* refusal);
// Logs that the connection to the server is lost. `brief`: the server was there for a moment only.
void say_lost(const char* why, bool brief);
// Logs, at the first call only, that the process is in a sandbox.
void say_sandbox();

}  // namespace xsched::agent
