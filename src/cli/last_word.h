// Prints the final sentence of xcli run when the program has ended, although xcli itself has become the program. A
// separate process, unrelated to the program, waits for that end. One thread.
#pragma once

#include <functional>

#include "base/unique_fd.h"

namespace xsched::cli {

class LastWord {
public:
    // Starts the process. It calls `say` once this process, which has become the program by then, has ended. It is in
    // its own session and holds only standard error, so neither the terminal nor the shell takes it for part of the
    // job.
    explicit LastWord(const std::function<void()>& say);
    // Cancels the sentence: the program could not be executed.
    void withdraw();

private:
    base::UniqueFd withdraws_;  // closed when the program starts
};

}  // namespace xsched::cli
