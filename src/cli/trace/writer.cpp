#include "cli/trace/writer.h"

#include <cerrno>
#include <cstring>
#include <ctime>

#include "base/clock.h"
#include "cli/server_link.h"

namespace xsched::cli {
namespace {

int64_t time_of(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return now.tv_sec * base::kSecond + now.tv_nsec;
}

}  // namespace

uint64_t write_trace(const std::string& path, const TraceEvents& trace) {
    try {
        console::PerfettoFile file(path);
        const int64_t monotonic_ns = time_of(CLOCK_MONOTONIC);
        const int64_t boot_ns = time_of(CLOCK_BOOTTIME);
        file.clocks(boot_ns, monotonic_ns, time_of(CLOCK_REALTIME));
        for (const TraceTrack& track : trace.tracks) switch (track.kind) {
                case TraceTrack::Kind::kProcess: file.process(track.id, track.pid, track.name); break;
                case TraceTrack::Kind::kPlain: file.track(track.id, track.parent, track.name); break;
                case TraceTrack::Kind::kCounter: file.counter(track.id, track.parent, track.name); break;
            }
        for (console::TraceEvent event : trace.events) {
            event.at_ns += boot_ns - monotonic_ns;
            file.event(event);
        }
        if (!file.finish()) throw Failure(path + " cannot be written: " + strerror(errno), kNotWritten);
        return file.bytes();
    } catch (const Failure&) {
        throw;
    } catch (const std::runtime_error& error) {
        throw Failure(error.what(), kNotWritten);
    }
}

}  // namespace xsched::cli
