#include "cli/trace/names.h"

#include "base/states.h"
#include "base/text.h"

namespace xsched::cli {
namespace {

constexpr uint32_t kSuspendedByPerson = 6;  // Reason::kHeld of sched/facts/reason.def

}  // namespace

std::string program_name(const Traced& traced, uint32_t client) {
    if (client == kAnotherUsers) return "another user's program";
    const auto known = traced.programs.find(client);
    if (known == traced.programs.end()) return "a program that left (client " + std::to_string(client) + ")";
    return known->second.name + " (" + std::to_string(known->second.pid) + ")";
}

std::string queue_name(uint32_t slot) { return "queue " + std::to_string(uint64_t{slot} + 1); }

std::string line_name(const Traced& traced, const Line& line) {
    return program_name(traced, line.client) + " " + queue_name(line.slot);
}

std::string device_label(const Traced& traced, uint64_t device) {
    const auto known = traced.devices.find(device);
    return known != traced.devices.end() ? known->second : "device " + base::hexadecimal(device);
}

std::string held_for(const Traced& traced, const TracedCause& cause) {
    if (cause.by_client != 0) return "behind " + program_name(traced, cause.by_client);
    return reason_sentence(traced, cause.reason);
}

std::string held_text(const Traced& traced, const TracedCause& cause) {
    if (cause.reason == kSuspendedByPerson) return base::word_of(base::State::kSuspended);
    const std::string why = held_for(traced, cause);
    return base::word_of(base::State::kHeld) + (why.empty() ? "" : " " + why);
}

std::string reason_sentence(const Traced& traced, uint32_t reason) {
    const auto known = traced.reasons.find(reason);
    return known != traced.reasons.end() ? known->second : "";
}

std::string platform_of_client(const Traced& traced, uint32_t client) {
    const auto known = traced.programs.find(client);
    return known != traced.programs.end() ? known->second.platform : "";
}

std::string mechanism_word(const Traced& traced, uint32_t client, uint32_t mechanism) {
    const auto known = traced.mechanisms.find({platform_of_client(traced, client), mechanism});
    return known != traced.mechanisms.end() && mechanism != 0 ? known->second.first : "";
}

std::string mechanism_says(const Traced& traced, uint32_t client, uint32_t mechanism) {
    const auto known = traced.mechanisms.find({platform_of_client(traced, client), mechanism});
    return known != traced.mechanisms.end() ? known->second.second : "";
}

}  // namespace xsched::cli
