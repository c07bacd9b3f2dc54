// Asks xserver for what a trace is made of, part by part. Not thread-safe.
#pragma once

#include <optional>

#include "cli/server_link.h"
#include "cli/traced.h"

namespace xsched::cli {

class TraceLink {
public:
    static constexpr size_t kMostChanges = 4'000'000;  // some 400 MiB

    // From now on.
    void begin() { take(ask(Json::object())); }
    // From so long ago, as far as the server's flight recorder goes back. Throws Refusal if it has none.
    void begin_before(int64_t ns);
    // What came since. `names`: also who is there.
    void look(bool names);
    bool full() const { return traced_.changes.size() >= kMostChanges; }
    int64_t lasts_ns() const { return traced_.end_ns - traced_.begin_ns; }
    const Traced& traced() const { return traced_; }

private:
    Json ask(const Json& more, bool names = true);
    void take(const Json& answer);
    void take_queues(const Json& queues);
    void take_names(const Json& answer);

    ServerLink link_;
    Traced traced_;
    uint64_t next_ = 0;
    bool more_ = false;
    std::optional<uint64_t> left_out_before_;
};

}  // namespace xsched::cli
