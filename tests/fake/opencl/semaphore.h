// Semaphores of cl_khr_semaphore.
#pragma once

namespace fake {

// nullptr: the name is none of theirs.
void* semaphore_function(const char* name);

}  // namespace fake
