// One device for several processes, or threads: two locks on files, which end with their process. One is the device,
// the other one is who has it next. A user who gives the device back must pass by the latter to get it again, so that
// two users alternate. One object per user: locks of one open file are one lock.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/no_copies.h"

namespace fake {

class SharedDevice : xsched::base::NoCopies {
public:
    // `path` null or empty: the device is not shared.
    explicit SharedDevice(const char* path) {
        if (path == nullptr || *path == '\0') return;
        device_ = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        next_ = open((std::string(path) + ".next").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    }
    ~SharedDevice() {
        if (device_ >= 0) close(device_);
        if (next_ >= 0) close(next_);
    }
    bool is_shared() const { return device_ >= 0 && next_ >= 0; }
    void take() const {
        if (!is_shared()) return;
        lock(next_);
        lock(device_);
        flock(next_, LOCK_UN);
    }
    void give() const {
        if (is_shared()) flock(device_, LOCK_UN);
    }

private:
    static void lock(int file) {
        while (flock(file, LOCK_EX) != 0 && errno == EINTR) {
        }
    }

    int device_ = -1;
    int next_ = -1;
};

}  // namespace fake
