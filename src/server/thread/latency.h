// Makes the calling thread answer quickly when it is woken on a busy machine, as far as this user may.
#pragma once

namespace xsched::server {

// The thread that decides comes before the threads that talk to peers.
inline constexpr int kSchedulingNice = -10;
inline constexpr int kFrontNice = -5;
inline constexpr int kBusyFrontNice = -3;  // front_nice.h

// Fine timers, a short turn (kernels since 6.12) and a slightly better place in the queue for a processor. Requests
// that the kernel refuses are dropped.
void ask_for_low_latency(int nice);

// The lowest real-time priority: whatever ordinary threads do, also the server's own that talk to peers, this thread
// has a processor when it is woken (docs/SECURITY.md, "Beside an attack"). False: the user may not, and nothing has
// changed. See real_time.h for a thread that strangers keep busy.
bool ask_for_real_time();

}  // namespace xsched::server
