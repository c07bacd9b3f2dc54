// The signals of a process that stands for a program, its child: those sent to it are for the program. Signals from the
// terminal reach the program by themselves. The main thread.
#pragma once

#include <cstdint>
#include <vector>

#include "base/no_copies.h"
#include "base/unique_fd.h"

namespace xsched::cli {

class ForwardedSignals : base::NoCopies {
public:
    // From now on signals that would end the process wake wait() instead. Ignored ones stay so, as under nohup.
    ForwardedSignals();
    ~ForwardedSignals() { give_back(); }
    // Gives the signals their effect back: in the child, which becomes the program.
    void give_back();
    // Waits for so long, or until a signal or the end of a child comes. Returns the signals to be sent to the program.
    std::vector<int> wait(int ms);
    // Returns whether a signal that asks a program to end has come in the last seconds.
    bool told_to_end() const;

private:
    base::UniqueFd comes_;
    base::UniqueFd put_;
    int64_t told_ns_ = 0;
};

}  // namespace xsched::cli
