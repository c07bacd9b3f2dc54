// The words of xcli run when the program has ended, although xcli itself became the program: a process of its own,
// which is no relative of the program's, waits for that end. One thread.
#pragma once

#include <functional>

#include "base/unique_fd.h"

namespace xsched::cli {

class LastWord {
public:
    // Starts the process that calls `say` once this one, by then the program, has ended. It is in a session of its own
    // and holds standard error alone, so that neither the terminal nor the shell counts it to the job.
    explicit LastWord(const std::function<void()>& say);
    // The program could not be executed: nothing is said.
    void withdraw();

private:
    base::UniqueFd withdraws_;  // closed by the program's start
};

}  // namespace xsched::cli
