#include "server/last_words.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace xsched::server {
namespace {

constexpr int kFailed = 3;  // the exit status of a server that served, and could not go on

char* g_place = nullptr;
size_t g_bytes = 0;

// Ends the process after an exception that cannot be caught: for example, a destructor of the JSON library allocates
// memory.
void end_by_current() {
    try {
        if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
    } catch (const std::exception& error) {
        end_by(error);
    } catch (...) {
    }
    abort();
}

}  // namespace

void keep_last_words(char* place, size_t bytes) {
    g_place = place;
    g_bytes = bytes;
    std::set_terminate(end_by_current);
}

void say_last_words(const std::exception& error) {
    if (g_place != nullptr)
        snprintf(g_place, g_bytes, "%s", error.what());
    else
        fprintf(stderr, "xserver: %s\n", error.what());
}

void end_by(const std::exception& error) {
    say_last_words(error);
    _exit(kFailed);
}

}  // namespace xsched::server
