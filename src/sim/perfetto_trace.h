// Writes a run as a trace for ui.perfetto.dev: tracks for each device's kernels by process, for each program's bursts,
// and for its suspensions. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "console/perfetto_file.h"
#include "sim/observer.h"
#include "sim/workload.h"

namespace xsched::sim {

class PerfettoTrace final : public Observer {
public:
    // Opens the file. Throws std::runtime_error if it cannot be written.
    PerfettoTrace(const std::string& path, const Workload& workload);

    void on_device(uint32_t device, uint32_t process, int64_t from_ns, int64_t to_ns) override;
    void on_burst(uint32_t process, int64_t from_ns, int64_t to_ns) override;
    void on_suspension(uint32_t process, bool suspended, int64_t now_ns) override;
    // Ends open slices and the file. Returns false, with errno, if not all could be written.
    bool finish(int64_t now_ns);

private:
    enum class Track : uint64_t { kDevice = 0, kBurst = 1, kSuspended = 2, kProcess = 3 };
    static uint64_t uuid(Track track, uint32_t process) {
        return (uint64_t{process} + 1) * 4 + static_cast<uint64_t>(track);
    }
    void event(console::TraceEventKind kind, uint64_t track, int64_t at_ns, const char* name);

    console::PerfettoFile file_;
    std::vector<int64_t> burst_ended_ns_;
    std::vector<bool> suspended_;
};

// Returns a name for each process of the workload, in their order.
std::vector<std::string> program_names(const Workload& workload);

}  // namespace xsched::sim
