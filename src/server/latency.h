// Makes the calling thread answer quickly when it is woken on a busy machine, as far as this user may.
#pragma once

namespace xsched::server {

// Whoever decides comes before whoever talks to peers.
inline constexpr int kSchedulingNice = -10;
inline constexpr int kFrontNice = -5;

// Fine timers, a short turn (kernels since 6.12) and a slightly better place in the queue for a processor. Whatever is
// refused is left as it is.
void ask_for_low_latency(int nice);

}  // namespace xsched::server
