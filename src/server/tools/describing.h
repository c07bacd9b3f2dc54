// Descriptions that several commands of tools share. Front thread.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/hints.h"
#include "server/tools/facts.h"
#include "server/tools/tool_commands.h"

namespace xsched::server {

const char* platform_name(uint32_t platform);
// "GPU:1f"
std::string device_name(uint64_t device);

// Returns the name that tools use for a constant: "less_urgent" for "kLessUrgent".
std::string word_of(const char* constant);

// Returns the mechanism's word on that platform. OpenCL's queues have holds instead of gates.
std::string mechanism_word(sched::Mechanism mechanism, uint32_t platform);  // "hold"
// a sentence such as "a hold: its commands end soon"
std::string mechanism_text(sched::Mechanism mechanism, uint32_t platform);

// Adds the device to an answer: its number on this server, and its vendor's name for it.
void add_device(const Request& request, Json& entry, const Client& client, uint64_t device, uint32_t platform);

// Adds the client's control group, and the share and limits that it or the client's user has, if any.
void add_group(Json& entry, const Client& client);

// Returns, for example, "device 0 (NVIDIA H100)".
std::string device_text(const Request& request, const Client& client, uint64_t device);

struct Explanation {
    bool ready = false;
    bool stands = false;  // its work waits for its host, another program or another device
    bool suspended = false;
    const char* state = "";   // of a queue that is suspended (base/states.def)
    bool stopped = false;     // its process, by a signal
    bool unscheduled = false;  // a limit leaves it no room
    bool by_itself = false;   // the program suspended it (XQueueSuspend)
    int64_t since_ns = 0;
    int32_t by_pid = 0;
    std::string reason;
    std::string mechanism;  // the mechanism beyond its gate; empty: none, or it runs
    std::string note;  // the policy's note about it; empty: none
    std::string level_pauses;  // the result of level_pauses()
};
inline bool is_about_memory(const base::HintInfo& hint) { return hint.in_run == base::HintInRun::kMemory; }
// Returns whether the share of the client's user or control group counts, and not its own.
bool shares_together(const Client& client);
// Describes a program's memory, of all devices together. Limit and guarantee are those of each device.
Json describe_memory(const Client& client);
// Describes the hints of these queues together that differ from their defaults: those in force, without the priority,
// and those that have no effect: the policy does not read them, their program's memory is not counted, or, of a
// share, its user or control group has a share or limit.
Json describe_hints(const Request& request, const Client& client, const std::vector<SeenQueue>& queues, int64_t now_ns);
// Returns the hints of these queues together; without any, those that the client's queues get when it makes them, as
// far as a person or a rule gave them.
base::Hints hints_of(const Client& client, const std::vector<SeenQueue>& queues);
// Describes how the queue was last kept off for a more urgent unit, with the losses expected from that and from the
// other ways; null: it never was.
Json describe_kept_off(const QueueFacts& facts, uint32_t platform);
// Returns why a level acts that is lower than the queue's own; empty: the queue's own level acts.
std::string level_pauses(const ipc::QueueSlot& slot);
Explanation explain(const SeenQueue& queue, const QueueFacts& facts);
// Returns, for example, "held for 12.3 ms: makes room for a more urgent unit that has work (pid 42, server)".
std::string sentence(const Request& request, const Explanation& why, int64_t now_ns);

// Sums for explaining shares. For each device: the shares that all programs ask for, counting a user's or control
// group's once. For each of these, by account and device: the device time that its programs had together in the last
// ten seconds.
struct AskedFor {
    std::map<uint64_t, int64_t> shares;
    std::map<std::pair<uint64_t, uint64_t>, double> accounts_got;

    // Returns the percent of the device that a share comes to: if more than 100 percent are asked for, each gets less
    // in proportion (src/policy/pup).
    int64_t worth_of(int64_t share, uint64_t device) const;
};
AskedFor shares_of_all(const Request& request);
// Returns whether the program had less than the share by more than one percent, as both are shown: whole percents.
inline bool falls_short(double got_percent, int64_t share) { return std::llround(got_percent) + 1 < share; }
// Returns the percent of its device that the share of the queue's program, or of its user or group, comes to; null: the
// policy keeps no shares.
Json describe_worth(const Request& request, const AskedFor& asked_for, const SeenQueue& queue);
// Returns why a program, or its user or control group, gets less of a device than its share; empty: it does not, or has
// no share.
std::string why_less(const Request& request, const AskedFor& asked_for, const SeenQueue& queue, const Explanation& why,
                     std::optional<double> got);

}  // namespace xsched::server
