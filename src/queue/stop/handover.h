// The data that backends want xserver to have (XqHandover), kept until the agent has sent it, and for each new
// connection. Any thread; the lock is a leaf. Fork's child begins without any.
#pragma once

#include <atomic>

#include "queue/abi/queue_abi.h"

namespace xsched::queue {

inline constexpr uint32_t kMostHandovers = 64;
inline constexpr uint32_t kMostHandoverBytes = 16384;

// Something is new since the last connection or send; cheap.
bool handovers_pending();
// All of them must be sent again: to a new server.
void handovers_unsent();
// Calls `send` for each that is not sent yet, until it returns false; those stay unsent.
void send_handovers(bool (*send)(const XqHandover& handover, void* data), void* data);
// The scheduler that had them is gone.
void undo_handovers();
// Called when something is handed over; wakes the agent. Null: nobody.
extern std::atomic<void (*)()> g_handed_over;

}  // namespace xsched::queue
