// Makes the calling thread run soon after it is woken on a busy machine, as far as this user may.
#pragma once

namespace xsched::server {

// The nice value of the thread that decides: better than that of the threads that talk to peers.
inline constexpr int kSchedulingNice = -10;
inline constexpr int kFrontNice = -5;
inline constexpr int kBusyFrontNice = -3;  // front_nice.h

// Asks for exact timers, a short turn (since Linux 6.12) and a slightly better nice value. Requests that the kernel
// refuses have no effect.
void ask_for_low_latency(int nice);

// Asks for the lowest real-time priority: the thread then gets a processor as soon as it is woken, before all ordinary
// threads (docs/SECURITY.md, "Beside an attack"). Returns false if the user may not; then nothing has changed.
// real_time.h limits such a thread.
bool ask_for_real_time();

}  // namespace xsched::server
