// The commands of one queue that are with the driver, or on their way there, in their order. Any thread adds; one at a
// time looks.
#pragma once

#include <cstdint>

#include "base/mutex.h"
#include "base/no_copies.h"
#include "platform/levelzero/hal/marks.h"

namespace xsched::levelzero {

class Flight : base::NoCopies {
public:
    enum State : uint32_t { kOnItsWay, kLaunched, kRefused };

    // Adds the command of this mark, and numbers it. Returns whether there was none before.
    bool add(Mark* mark);
    // Returns the first command, or the one behind `mark`; nullptr: there is none. For the thread that looks.
    Mark* first();
    Mark* behind(const Mark* mark);
    // Removes `mark`, which comes behind `before` (nullptr: it is the first). Returns the command behind it, or
    // nullptr. For the thread that looks.
    Mark* remove(Mark* before, Mark* mark);
    bool any() { return first() != nullptr; }
    // Returns the number of the last command.
    uint64_t last_number();
    // All commands up to the returned number are complete.
    uint64_t passed();

private:
    base::Mutex mutex_;
    Mark* first_ = nullptr;
    Mark* last_ = nullptr;
    uint64_t numbers_ = 0;
};

}  // namespace xsched::levelzero
