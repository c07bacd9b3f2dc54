// Calls that fail on purpose: KFD_EMULATOR_FAULTS=CALL=WHAT[@N],...
//   CALL  create, destroy, update, mask, enable, disable, suspend, resume, snapshot
//   WHAT  nothing: the call does nothing and returns 0; miss: it does not find the last of its queues; a number: this
//         errno
//   N     only the Nth such call of the process, from 1; without it: each
#pragma once

namespace kfd {

struct Fault {
    enum Kind { kNone, kNothing, kMiss, kError } kind = kNone;
    int error = 0;
};

// Counts the call. Any thread.
Fault fault_of(const char* call);

}  // namespace kfd
