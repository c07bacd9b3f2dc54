// The last words of a server that cannot go on: memory that it needs is not to be had, say. The line about its end,
// which its successor writes, has it; without a supervisor it goes to standard error. Any thread.
#pragma once

#include <cstddef>
#include <exception>

namespace xsched::server {

// Where the successor finds them, also those of an exception that nothing can catch. Before there are threads.
void keep_last_words(char* place, size_t bytes);
void say_last_words(const std::exception& error);
// Ends this process at once: an exception on a thread that others rely on leaves them waiting for it.
[[noreturn]] void end_by(const std::exception& error);

// `body`, the whole of a thread of the server.
template <typename Body>
void run_or_end(const Body& body) {
    try {
        body();
    } catch (const std::exception& error) {
        end_by(error);
    }
}

}  // namespace xsched::server
