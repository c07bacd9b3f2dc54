// How much of the device's memory is in use, by this process and by those that share the device (FAKE_CUDA_SHARED).
// A process takes its entry with it, however it ends. Any thread.
#pragma once

#include <cstddef>

namespace fake {

size_t card_bytes();
// Returns false if fewer bytes are free.
bool take_card_bytes(size_t bytes);
void give_card_bytes(size_t bytes);

// The states of a process that another one checkpoints (cuda.h's CUprocessState).
enum CheckpointState { kRunning = 0, kLocked = 1, kCheckpointed = 2 };
// Waits until this process is not locked.
void wait_while_locked();
// Returns the process's state; -1: it does not use the device.
int checkpoint_state(int pid);
// Moves a process's memory off the device or back, as the states say. Returns false if it is in another state, or if
// its memory does not fit.
bool change_checkpoint(int pid, int from, int to);

}  // namespace fake
