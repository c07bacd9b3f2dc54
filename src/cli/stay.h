// xcli run as its program's parent: it waits, passes on what it is told, and ends as the program did. One thread.
#pragma once

#include <functional>

namespace xsched::cli {

// Starts arguments[0] as execvp does, and calls `ended` once it has ended. Returns the exit status. If a signal ended
// the program, this process ends by the same one. `error`: why it could not be executed, as in errno; then `ended` is
// not called.
int run_and_wait(char* const* arguments, int& error, const std::function<void()>& ended);

}  // namespace xsched::cli
