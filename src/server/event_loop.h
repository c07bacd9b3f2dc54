// Waits until descriptors become readable. Front thread.
//
// Each descriptor is reported once and then not again until rearm(). Call forget() before another thread gets a
// descriptor: the kernel watches the open file, whichever thread holds it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/unique_fd.h"

namespace xsched::server {

class EventLoop {
public:
    // Throws std::system_error if the system has no descriptor for it.
    EventLoop();

    // Starts watching a descriptor; `token` names it in wait(). Returns false if the system refuses.
    bool watch(int fd, uint64_t token);
    void rearm(int fd, uint64_t token);
    void forget(int fd);

    // Returns the tokens of descriptors that are readable or at their end. Returns none at `until_ns` (0: waits without
    // limit).
    std::vector<uint64_t> wait(int64_t until_ns);

private:
    base::UniqueFd epoll_;
};

}  // namespace xsched::server
