// Reads a trace from the server's answers, one after the other. Throws if an answer has another form. Pure.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>

#include "cli/trace/traced.h"

namespace xsched::cli {

// Reads a row of an answer. A change that was over before it was seen counts as an ordinary one.
TracedChange change_of(const nlohmann::json& row);

class TraceAnswers {
public:
    using Json = nlohmann::json;

    void take(const Json& answer);
    // Takes the first answer, of a trace that begins `ns` before that answer.
    void take_before(const Json& answer, int64_t ns);
    // Ends the trace at this time, and removes later changes.
    void end_at(int64_t now_ns);

    uint64_t next() const { return next_; }  // where the next answer is to begin
    bool more() const { return more_; }  // there is more already
    const Traced& traced() const { return traced_; }

private:
    void take_queues(const Json& queues);
    void take_names(const Json& answer);

    Traced traced_;
    uint64_t next_ = 0;
    bool more_ = false;
    std::optional<uint64_t> left_out_before_;
};

}  // namespace xsched::cli
