// Receives events of the simulation (for the trace). Times are the virtual clock's.
#pragma once

#include <cstdint>

namespace xsched::sim {

class Observer {
public:
    virtual ~Observer() = default;
    // Notes that the device ran the process's kernels from `from_ns` to `to_ns` without a break.
    virtual void on_device(uint32_t device, uint32_t process, int64_t from_ns, int64_t to_ns) = 0;
    virtual void on_burst(uint32_t process, int64_t from_ns, int64_t to_ns) = 0;
    virtual void on_suspension(uint32_t process, bool suspended, int64_t now_ns) = 0;
};

}  // namespace xsched::sim
