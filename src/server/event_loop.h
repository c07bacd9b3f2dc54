// Which descriptors became readable. Front thread.
//
// A descriptor is reported once and then stays silent until rearm(). A descriptor that is handed to another thread must
// be forgotten first: the kernel watches the open file, whoever holds it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/unique_fd.h"

namespace xsched::server {

class EventLoop {
public:
    // Throws std::system_error if the system has no descriptor for it.
    EventLoop();

    // `token` names the descriptor in wait(). False: the system refused.
    bool watch(int fd, uint64_t token);
    void rearm(int fd, uint64_t token);
    void forget(int fd);

    // The tokens of what is readable, or has ended; after `until_ns` (0: no such time) none.
    std::vector<uint64_t> wait(int64_t until_ns);

private:
    base::UniqueFd epoll_;
};

}  // namespace xsched::server
