// The agent's state: one per process, shared by its files.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/connection.h"
#include "agent/errands.h"
#include "agent/lifeline.h"
#include "agent/local_scheduler.h"
#include "base/thread.h"
#include "ipc/region.h"
#include "queue/queue_core.h"

namespace xsched::agent {

extern std::atomic<ipc::Region*> g_region;  // where queues publish their state: private or a server's
extern ipc::Region* g_private;
extern std::atomic<bool> g_connected;
extern std::atomic<bool> g_stop;
extern Connection g_connection;
extern Lifeline g_lifeline;
extern std::atomic<bool> g_lifeline_ended;
extern LocalScheduler g_local;
extern Errands g_errands;
extern bool g_told_unscheduled;  // set once the log has told that this process runs unscheduled; cleared when a server
                                 // connects

// Returns where the queue with this index publishes its state. Call ensure_started (agent.h) first.
queue::Placement placement(uint32_t index);
// Moves all queues there.
void move_queues(ipc::Region* region);
// Starts a thread that decides in this process. Returns false if no thread could be started.
bool start_local_scheduler();
void stop_local_scheduler();

}  // namespace xsched::agent
