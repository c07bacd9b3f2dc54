// The work of a program as its run has shown it: how long its requests take alone, how it rests between them, and how
// long its commands are. Each is told by some quantiles. `xcli admit` predicts from them. Plain data; front thread.
#pragma once

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>

#include "base/work_parts.h"
#include "dispatch/record.h"
#include "server/promise_book.h"

namespace xsched::server {

struct ProgramWork {
    using Quantiles = std::array<uint32_t, base::kWorkParts.size()>;  // in microseconds, at those parts

    uint64_t requests = 0;  // how many were measured
    bool endless = false;   // it works without rests, as far as seen,
    bool assumed = false;   // or as it is taken for: it has worked for long, and whether it rests was not seen
    Quantiles request_us{};
    Quantiles rest_us{};
    Quantiles burst_count{};  // of a request; 0: not known, as in what earlier versions kept
    Quantiles pauses_us{};    // of a request, between its bursts, together
    Quantiles command_us{};

    bool known() const { return requests != 0 || (endless && !assumed); }
    bool operator==(const ProgramWork&) const = default;
};

// Returns the work of a client's busiest queue. Nothing is known of a client that has done too little.
ProgramWork shown_work(const dispatch::ClientRecord& record);
// Returns how punctual all of a client's queues were.
Punctuality punctuality_of(const dispatch::ClientRecord& record);
// Returns the work as tools get it; null: nothing is known or assumed.
nlohmann::json work_json(const ProgramWork& work);
// Reads what work_json wrote. Anything else gives work of which nothing is known.
ProgramWork read_work(const nlohmann::json& kept);

}  // namespace xsched::server
