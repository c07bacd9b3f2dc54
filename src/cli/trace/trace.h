// xcli trace: what xserver scheduled, for a while or in the last while, as a trace for ui.perfetto.dev. Returns the
// exit status or throws Failure.
#pragma once

#include <string>

namespace xsched::cli {

struct TraceWords {
    std::string file;
    std::string time = "10s";
    std::string last = "30s";
    bool from_recorder = false;  // what was in `last`, instead of what is in `time`
};
int trace(const TraceWords& words, bool json);

}  // namespace xsched::cli
