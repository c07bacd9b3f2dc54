// How many objects of each kind exist. Any thread.
#pragma once

namespace fake {

void count_live(const char* kind, int change);

}  // namespace fake
