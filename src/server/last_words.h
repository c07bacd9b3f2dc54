// The reason why a server cannot go on, for example that memory is exhausted. Its successor logs that reason with the
// server's end. Without a supervisor it goes to standard error. Any thread.
#pragma once

#include <cstddef>
#include <exception>

namespace xsched::server {

// Sets where reasons are written, also those of exceptions that cannot be caught: the successor reads them there. Call
// before there are other threads.
void keep_last_words(char* place, size_t bytes);
void say_last_words(const std::exception& error);
// Ends this process at once with that reason. If only one thread ended, the others would wait for it forever.
[[noreturn]] void end_by(const std::exception& error);

// Runs `body`, the whole of one thread of the server. An exception out of it ends the process.
template <typename Body>
void run_or_end(const Body& body) {
    try {
        body();
    } catch (const std::exception& error) {
        end_by(error);
    }
}

}  // namespace xsched::server
