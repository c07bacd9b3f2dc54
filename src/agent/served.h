// How a process with a global scheduler keeps to its server: it connects, notices when the server is gone, goes on
// alone and finds the next one.
#pragma once

namespace xsched::agent {

// Connects to a server. `first`: the process has just started; if no server answers, the agent's thread is to start
// one. Returns whether a server serves this process now.
bool connect_to_server(bool first);
// Falls back to private memory after the server was lost. `brief`: the connection ended within a moment of its begin.
void lose_server(const char* why, bool brief);
// Prepares for the agent's thread: the log has not said yet that no server schedules the process, and the thread need
// not start a server.
void begin_unserved();
// The agent's thread: carries out the server's directives until g_stop. Never calls a vendor's driver.
void* served_body(void*);
// Wakes the agent's thread when there is something to send or to look at.
void wake_agent();

}  // namespace xsched::agent
