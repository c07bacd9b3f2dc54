// Runs an xserver for this run alone, at a socket in a new folder. Both go with the object. One thread.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/no_copies.h"

namespace xsched::cli {

class PrivateServer : base::NoCopies {
public:
    // `program`: xserver's path.
    explicit PrivateServer(const std::string& program);
    ~PrivateServer();

    bool ready() const { return ready_; }
    pid_t pid() const { return pid_; }
    std::string socket() const { return folder_ + "/xserver.sock"; }

private:
    bool start(const std::string& program);

    std::string folder_;
    pid_t pid_ = 0;
    bool ready_ = false;
};

}  // namespace xsched::cli
