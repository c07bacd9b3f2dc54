// Asks xserver for the parts of a trace. Not thread-safe.
#pragma once

#include "cli/server_link.h"
#include "cli/trace/answers.h"

namespace xsched::cli {

class TraceLink {
public:
    static constexpr size_t kMostChanges = 4'000'000;  // some 400 MiB

    // Starts the trace now.
    void begin() { answers_.take(ask(Json::object())); }
    // Starts the trace this long ago, or as far back as the server's flight recorder goes. Throws Refusal if the server
    // has none.
    void begin_before(int64_t ns);
    // Reads the entries since the last call. `names`: also reads the present programs and queues.
    void look(bool names);
    bool full() const { return traced().changes.size() >= kMostChanges; }
    int64_t lasts_ns() const { return traced().end_ns - traced().begin_ns; }
    const Traced& traced() const { return answers_.traced(); }

private:
    Json ask(const Json& more, bool names = true);
    ServerLink link_;
    TraceAnswers answers_;
};

}  // namespace xsched::cli
