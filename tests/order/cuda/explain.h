// Explanations for a content that a buffer's accesses, one after the other, do not leave. Any thread.
#pragma once

#include <mutex>
#include <vector>

#include "order/cuda/history.h"

namespace order::cuda {

// The histories that exist.
class Histories {
public:
    static void add(History& history);
    static void remove(History& history);
    static std::vector<const History*> all();
};

// Prints the accesses to a buffer with a wrong content. Tries all single faults of the driver, and prints those that
// would give `found` in the words that differ from `expected`.
void print_explanation(const History& history, const Accesses& accesses, const Words& found, const Words& expected,
                       size_t words);

}  // namespace order::cuda
