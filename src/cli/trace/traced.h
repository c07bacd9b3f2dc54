// The data of a trace as the server sent it (server/tools/tool_record.cpp). Plain data; times by the monotonic clock.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ipc/journal_kind.h"

namespace xsched::cli {

using TracedKind = ipc::JournalKind;

// Stands for another user's program, whose number this user may not see.
inline constexpr uint32_t kAnotherUsers = UINT32_MAX;
inline constexpr uint32_t kNotKnown = UINT32_MAX;  // a reason

struct TracedCause {
    uint32_t by_client = 0;  // client that it is held for; 0: no particular one
    uint32_t reason = kNotKnown;
    uint32_t mechanism = 0;
    bool operator==(const TracedCause&) const = default;
};

struct TracedState {
    bool has_work = false;
    bool suspended = false;
    bool followed = false;  // it has rivals, so each of its changes is reported
    TracedCause cause;      // while it is suspended
};

struct TracedChange {
    int64_t at_ns = 0;
    TracedKind kind{};
    uint32_t client = 0;
    uint32_t slot = 0;
    TracedState after;  // the state from then on; for kResumed with the cause that ended
    int32_t priority = 0;
    uint64_t completed = 0;  // commands so far; for kCame and kGone the device, for kDirected the agent's directive
    int64_t command_ns = 0;
};

// A queue that exists at the end.
struct TracedQueue {
    uint64_t handle = 0;
    uint64_t device = 0;
    int32_t priority = 0;
    TracedState state;
};

struct TracedProgram {
    int32_t pid = 0;
    std::string name;
    std::string platform;
};

// An order that a person gave the server.
struct TracedOrder {
    int64_t at_ns = 0;
    uint32_t uid = 0;
    std::string text;
};

struct Traced {
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
    std::vector<TracedChange> changes;  // as they were seen
    std::map<std::pair<uint32_t, uint32_t>, TracedQueue> queues;  // by client and slot
    std::map<uint32_t, TracedProgram> programs;  // by client
    std::map<uint64_t, std::string> devices;
    std::map<uint32_t, std::string> reasons;
    // The mechanism's word and sentence, by platform and number.
    std::map<std::pair<std::string, uint32_t>, std::pair<std::string, std::string>> mechanisms;
    std::map<uint64_t, TracedOrder> orders;  // by number
    uint64_t lost = 0;      // changes that were overwritten before they were read,
    uint64_t left_out = 0;  // or that were too many to keep
    bool complete = true;   // no change since its begin was overwritten
    bool server_was_younger = false;  // than the time that was asked for
};

}  // namespace xsched::cli
