// The host's side of value operations: stores numbers that streams wait for, a little later, from a thread of its own
// that never waits for anything of the driver's.
#pragma once

#include <chrono>
#include <thread>

#include "order/core/later.h"
#include "order/cuda/world.h"

namespace order::cuda {

struct StoreNumber {
    static void perform(const ValueWord& word, Random& random) {
        std::this_thread::sleep_for(std::chrono::microseconds(random.below(100)));
        __atomic_store_n(word.host, word.number, __ATOMIC_RELEASE);
    }
};
using Signaller = Later<ValueWord, StoreNumber>;

}  // namespace order::cuda
