// The ioctls of /dev/kfd, by number.
#pragma once

#include "emulator.h"

namespace kfd {

// Only the process that called first is answered, as KFD answers the one that opened it: fork's child gets -EBADF.
Answer answer(unsigned long request, void* argument);

}  // namespace kfd
