// Calls that fail on purpose: KFD_EMULATOR_FAULTS=CALL=WHAT[@N[-M]],...
//   CALL  create, destroy, update, mask, enable, disable, suspend, resume, snapshot
//   WHAT  nothing: the call does nothing and returns 0
//         miss: it does not find the last of its queues
//         a number: this errno
//         slow: it takes 1.5 s, and then does what it should
//         evict: the process's queues are off the GPU for 50 ms from then on, as while the kernel moves its memory
//         hang: the command processor has stopped. The call fails after 2 s (the kernel waits for 9), and a little
//         later the runtime is told that the GPU was reset. No queue of the process ever runs again
//   N     only the Nth such call of the process, from 1; N-M: the Nth to the Mth; without it: each
// Each says a line of level 1 when it comes ("fault: ...").
#pragma once

namespace kfd {

struct Fault {
    enum Kind { kNone, kNothing, kMiss, kError, kSlow, kEvict, kHang } kind = kNone;
    int error = 0;
};

// Counts this call and returns the fault that it must show now. Delays, and faults of all queues, have been carried
// out when this returns. Any thread.
Fault fault_of(const char* call);

}  // namespace kfd
