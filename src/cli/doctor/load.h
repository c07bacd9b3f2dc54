// Measures how busy other programs keep this machine: figures measured beside them say little. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace xsched::cli {

// Parts of all processors' time.
struct Load {
    double others = 0;  // used by other programs
    double stolen = 0;  // taken by the host of a virtual machine
    double idle = 1;
};

// Measures from its construction to stop(). This process, the children that it waited for, and `server` (0: none) do
// not count as other programs.
class LoadWatch {
public:
    explicit LoadWatch(pid_t server);
    Load stop() const;

private:
    struct Ticks {
        int64_t used = 0, stolen = 0, idle = 0, own = 0;
    };
    static Ticks now(pid_t server);

    pid_t server_;
    Ticks began_;
};

}  // namespace xsched::cli
