// xcli trace: writes what xserver scheduled, for a while from now or in the last while, as a trace for ui.perfetto.dev.
// Returns the exit status or throws Failure.
#pragma once

#include <string>

namespace xsched::cli {

struct TraceWords {
    std::string file;
    std::string time = "10s";
    std::string last = "30s";
    bool from_recorder = false;  // show the past (`last`) instead of the future (`time`)
};
int trace(const TraceWords& words, bool json);

}  // namespace xsched::cli
