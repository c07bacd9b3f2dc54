// A trace for ui.perfetto.dev as a file: tracks, slices, instants and counters (Perfetto's TrackEvent), one packet
// after the other. Not thread-safe.
//
// Words: track, a line of the trace, by a number of the caller's (not 0), below a process or another track. Flow, an
// arrow from the event that begins it to the one that ends it, by a number used once.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "console/protobuf.h"

namespace xsched::console {

enum class TraceEventKind : uint64_t { kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4 };

struct TraceEvent {
    using Value = std::variant<std::string, int64_t, double>;

    TraceEventKind kind{};
    uint64_t track = 0;
    int64_t at_ns = 0;
    std::string name;                                 // of kBegin and kInstant only
    const char* category = "xsched";                  // likewise
    std::vector<std::pair<const char*, Value>> said;  // debug annotations
    int64_t value = 0;                                // of kCounter
    std::vector<uint64_t> flows;                      // that begin here
    std::vector<uint64_t> ended_flows;
};

class PerfettoFile {
public:
    // Opens the file. Throws std::runtime_error if it cannot be written.
    explicit PerfettoFile(const std::string& path);
    ~PerfettoFile();
    PerfettoFile(const PerfettoFile&) = delete;
    PerfettoFile& operator=(const PerfettoFile&) = delete;

    // Writes the same moment by several clocks, in ns, so that other traces can be shown beside this one.
    void clocks(int64_t boot_ns, int64_t monotonic_ns, int64_t real_ns);
    void process(uint64_t track, int32_t pid, const std::string& name);
    // Adds a track. `parent` 0: it has none. Tracks are shown in the order of their numbers.
    void track(uint64_t track, uint64_t parent, const std::string& name);
    void counter(uint64_t track, uint64_t parent, const std::string& name);
    // Adds an event. Call in order of time. At equal times, first add the ends on a track, then the begins; a flow's
    // begin comes before its end.
    void event(const TraceEvent& event);
    // Closes the file. Returns whether everything was written; otherwise errno says why not.
    bool finish();
    // Returns how many bytes were written so far.
    uint64_t bytes() const { return bytes_; }

private:
    void descriptor(const ProtobufMessage& descriptor);
    void write(ProtobufMessage& packet);

    std::FILE* file_;
    uint64_t bytes_ = 0;
    bool first_ = true;
};

}  // namespace xsched::console
