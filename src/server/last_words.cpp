#include "server/last_words.h"

#include <unistd.h>

#include <cstdio>

namespace xsched::server {
namespace {

constexpr int kFailed = 3;  // the exit status: it began, and could not go on

char* g_place = nullptr;
size_t g_bytes = 0;

}  // namespace

void keep_last_words(char* place, size_t bytes) {
    g_place = place;
    g_bytes = bytes;
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
