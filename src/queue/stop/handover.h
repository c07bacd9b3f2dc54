// The data that backends want xserver to have (XqHandover), kept until the agent has sent it, and for each new
// connection. Any thread; the lock is a leaf. Fork's child begins without any.
#pragma once

#include <atomic>

#include "queue/abi/queue_abi.h"

namespace xsched::queue {

inline constexpr uint32_t kMostHandovers = 64;

// Returns whether there is something new since the last connection or send; cheap.
bool handovers_pending();
// Marks all handovers as unsent, for a new server.
void handovers_unsent();
// Calls `send` for each unsent handover until `send` returns false; the rest stays unsent.
void send_handovers(bool (*send)(const XqHandover& handover, void* data), void* data);
// Undoes what a scheduler has done with the handed-over descriptors. Call when that scheduler is gone.
void undo_handovers();
// Called when something is handed over, to wake the agent. Null: no agent.
extern std::atomic<void (*)()> g_handed_over;

}  // namespace xsched::queue
