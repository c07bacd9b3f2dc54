// The server's answers to xcli trace, one a line; the first line says how much earlier the trace began. They are
// refused, or become a trace whose events come in order, on tracks that are there.
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <exception>
#include <set>
#include <string>

#include "cli/trace/answers.h"
#include "cli/trace/events.h"
#include "cli/trace/timeline.h"
#include "cli/trace/writer.h"
#include "fuzz/bytes.h"
#include "fuzz/target.h"

namespace xsched::fuzz::trace_target {
namespace {

cli::Traced answers_in(std::string_view input) {
    Bytes bytes(input);
    cli::TraceAnswers answers;
    const auto before_ns = static_cast<int64_t>(strtoul(std::string(bytes.until('\n')).c_str(), nullptr, 10) % 100);
    for (bool first = before_ns != 0; !bytes.empty(); first = false) {
        const auto answer = nlohmann::json::parse(bytes.until('\n'), nullptr, false);
        if (first)
            answers.take_before(answer, before_ns * 1'000'000);
        else
            answers.take(answer);
    }
    return answers.traced();
}

void check(const cli::TraceEvents& trace) {
    std::set<uint64_t> tracks{0};
    for (const cli::TraceTrack& track : trace.tracks) {
        demand(tracks.contains(track.parent), "a track lies below one that is there");
        tracks.insert(track.id);
    }
    int64_t last_ns = INT64_MIN;
    for (const console::TraceEvent& event : trace.events) {
        demand(event.at_ns >= last_ns && tracks.contains(event.track), "events come in order, on tracks");
        last_ns = event.at_ns;
    }
}

void check_lines(const cli::Traced& traced) {
    for (const cli::Line& line : cli::lines_of(traced)) {
        demand(!line.stretches.empty(), "a line has something in it");
        int64_t at_ns = line.from_ns();
        for (const cli::Stretch& stretch : line.stretches) {
            demand(stretch.from_ns == at_ns && stretch.to_ns > at_ns, "stretches follow one another");
            at_ns = stretch.to_ns;
        }
    }
}

}  // namespace

XSCHED_FUZZ(trace) {
    cli::Traced traced;
    try {
        traced = answers_in(input);
    } catch (const std::exception&) {
        return;
    }
    check_lines(traced);
    const cli::TraceEvents trace = cli::trace_events(traced);
    check(trace);
    cli::write_trace("/dev/null", trace);
}

}  // namespace xsched::fuzz::trace_target
