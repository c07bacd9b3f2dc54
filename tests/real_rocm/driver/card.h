// How much memory of the GPUs is in use by all processes that share them (KFD_EMULATOR_DEVICE). A process takes its
// part with it, however it ends. Any thread.
#pragma once

#include "emulator.h"

namespace kfd {

// Takes so many bytes of the GPU's memory. Returns false if there are not that many left.
bool take_card_bytes(uint64_t bytes);
void give_card_bytes(uint64_t bytes);
uint64_t free_card_bytes();

}  // namespace kfd
