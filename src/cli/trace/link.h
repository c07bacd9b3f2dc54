// Asks xserver for what a trace is made of, part by part. Not thread-safe.
#pragma once

#include "cli/server_link.h"
#include "cli/trace/answers.h"

namespace xsched::cli {

class TraceLink {
public:
    static constexpr size_t kMostChanges = 4'000'000;  // some 400 MiB

    // From now on.
    void begin() { answers_.take(ask(Json::object())); }
    // From so long ago, as far as the server's flight recorder goes back. Throws Refusal if it has none.
    void begin_before(int64_t ns);
    // Reads the entries that came since. `names`: also who is there.
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
