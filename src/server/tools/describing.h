// The descriptions that several of the commands that look have in common. Front thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "server/tools/facts.h"
#include "server/tools/tool_commands.h"

namespace xsched::server {

const char* platform_name(uint32_t platform);
// "GPU:1f"
std::string device_name(uint64_t device);

// "kLessUrgent" as tools are told it: "less_urgent".
std::string word_of(const char* constant);

// How a queue is kept off, in the words of its platform: OpenCL's queues have no gate but holds.
std::string mechanism_word(sched::Mechanism mechanism, uint32_t platform);  // "hold"
std::string mechanism_text(sched::Mechanism mechanism, uint32_t platform);  // "a hold: its commands end soon"

// The device as a member of an answer: "device", its number on this server, and what its vendor calls it.
void add_device(const Request& request, Json& entry, const Client& client, uint64_t device, uint32_t platform);

// Its control group, and what that is given, if it is given anything.
void add_group(Json& entry, const Client& client);

// "device 0 (NVIDIA H100)"
std::string device_text(const Request& request, const Client& client, uint64_t device);

struct Explanation {
    bool ready = false;
    bool stands = false;  // its work waits for its host, another program or another device
    bool suspended = false;
    int64_t since_ns = 0;
    int32_t by_pid = 0;
    std::string reason;
    std::string mechanism;  // beyond its gate; empty: none, or it runs
    std::string note;  // what the policy says of it; empty: nothing
    std::string level_pauses;  // as the function below
};
// How it was last kept off for somebody more urgent, with the losses that were expected of that and of the other ways;
// null: it never was.
Json describe_kept_off(const QueueFacts& facts, uint32_t platform);
// Why a level acts that is lower than the queue's own, for as long as that is so. Empty: its own level acts.
std::string level_pauses(const ipc::QueueSlot& slot);
Explanation explain(const SeenQueue& queue, const QueueFacts& facts);
// "suspended for 12.3 ms: makes room for a more urgent unit that has work (pid 42, server)"
std::string sentence(const Request& request, const Explanation& why, int64_t now_ns);

// The sum of all programs' requests for each device, a control group that was given a share once; and the time that the
// programs of such a group had of it together in the last ten seconds, by its account and device.
struct AskedFor {
    std::map<uint64_t, int64_t> shares;
    std::map<std::pair<uint64_t, uint64_t>, double> groups_got;
};
AskedFor shares_of_all(const Request& request);
// Why a program, or its control group, gets less of a device than its share. Empty: it does not, or there is no share.
std::string why_less(const Request& request, const AskedFor& asked_for, const SeenQueue& queue, const Explanation& why,
                     std::optional<double> got);

}  // namespace xsched::server
