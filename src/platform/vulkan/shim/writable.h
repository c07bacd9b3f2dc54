// Changes a word of the program's that may lie in memory which cannot be written. Any thread.
#pragma once

#include <cstdint>

namespace xsched::vulkan {

// Returns false, with nothing changed, if the word cannot be written.
bool write_word(uint32_t* word, uint32_t value);

}  // namespace xsched::vulkan
