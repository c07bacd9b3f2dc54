// The CUDA driver's own checkpoint of another process, by its pid: it takes all of that process's memory off its
// devices, whatever the memory is, and brings it back. Slow: measured 12 to 31 s for 20 to 52 GiB, and 5 to 8 s back
// (docs/memory.md). The calls need driver 570, and that both processes are of one user. Any thread; they wait.
#pragma once

#include <sys/types.h>

#include <string>

namespace xsched::host {

// Waits until the process's work on its devices is complete, and takes its memory off them. From then on its calls of
// CUDA wait. Returns why that failed; empty: it is done.
std::string checkpoint_process(pid_t pid);
// Brings the memory back, and lets the process go on. Returns why that failed; empty: it is done, or the process has
// its memory.
std::string restore_process(pid_t pid);

}  // namespace xsched::host
