#include "fake/cuda/turns.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "fake/cuda/settings.h"

namespace fake {
namespace {

constexpr int64_t kLongestNs = 1'000'000;

// Two locks that end with their process: the device, and who has it next. A process that gives the device back must
// pass by the latter to get it again, so that two threads alternate.
struct Files {
    int device = -1, next = -1;
    Files() {
        const char* path = std::getenv("FAKE_CUDA_SHARED");
        if (path == nullptr || *path == '\0') return;
        device = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        next = open((std::string(path) + ".next").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    }
    ~Files() {
        if (device >= 0) close(device);
        if (next >= 0) close(next);
    }
    Files(const Files&) = delete;
    Files& operator=(const Files&) = delete;
};
const Files& files() {
    thread_local Files it;  // locks of one open file are one lock: each thread opens its own
    return it;
}

void lock(int file) {
    while (flock(file, LOCK_EX) != 0 && errno == EINTR) {
    }
}

}  // namespace

Turn::Turn() { take(); }
Turn::~Turn() { give(); }

void Turn::take() {
    taken_ = true;
    if (files().device < 0 || files().next < 0) return;
    lock(files().next);
    lock(files().device);
    flock(files().next, LOCK_UN);
    began_ = clock_ns();
}

void Turn::give() {
    if (!taken_) return;
    taken_ = false;
    if (files().device >= 0) flock(files().device, LOCK_UN);
}

int64_t Turn::keep(bool may_run, int64_t now) {
    if (!may_run || (files().device >= 0 && now - began_ > kLongestNs)) give();
    if (!may_run || taken_) return now;
    take();
    return clock_ns();
}

}  // namespace fake
