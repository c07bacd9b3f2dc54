// How much of the device's memory is in use, by this process and by those that share the device (FAKE_CUDA_SHARED).
// A process takes its entry with it, however it ends. Any thread.
#pragma once

#include <cstddef>

namespace fake {

size_t card_bytes();
// Returns false if fewer bytes are free.
bool take_card_bytes(size_t bytes);
void give_card_bytes(size_t bytes);

}  // namespace fake
