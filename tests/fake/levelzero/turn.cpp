#include "fake/levelzero/turn.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <string>

#include "fake/levelzero/settings.h"

namespace fake {
namespace {

// Two locks that end with their process: the device, and who has it next. A process that gives the device back must
// pass by the latter to get it again, so that two processes alternate.
struct Files {
    int device = -1;
    int next = -1;
    Files() {
        if (*g_settings.shared == '\0') return;
        device = open(g_settings.shared, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        next = open((std::string(g_settings.shared) + ".next").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    }
};

const Files& files() {
    thread_local const Files it;  // locks of one open file are one lock: each thread opens its own
    return it;
}

void lock(int file) {
    while (file >= 0 && flock(file, LOCK_EX) != 0 && errno == EINTR) {
    }
}

void unlock(int file) {
    if (file >= 0) flock(file, LOCK_UN);
}

}  // namespace

Turn::Turn() {
    lock(files().next);
    lock(files().device);
    unlock(files().next);
}

Turn::~Turn() { unlock(files().device); }

}  // namespace fake
