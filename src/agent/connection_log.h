// The sentences in the log about the server that a process has or lacks. The agent's thread, or with its lock held.
#pragma once

namespace xsched::agent {

// `was_told`: the log said before that the process runs unscheduled.
void say_connected(int server_pid, const char* path, bool was_told);
// `refusal`: the server's reason; empty: none answers.
void say_unserved(const char* path, const char* refusal);
// `brief`: the server was there for a moment only.
void say_lost(const char* why, bool brief);
// Once.
void say_sandbox();

}  // namespace xsched::agent
