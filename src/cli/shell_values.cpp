#include "cli/shell_values.h"

#include <map>

#include "cli/enable.h"
#include "cli/known_by.h"
#include "cli/server_link.h"
#include "cli/steer.h"

namespace xsched::cli {
namespace {

constexpr int kPatienceMs = 500;  // judgement: a person waits for the shell

std::string line_of(const std::string& value, const std::string& what) {
    return value + (what.empty() ? "" : "\t" + what) + "\n";
}

std::string policies() {
    const Json answer = ask_policies();
    std::string lines;
    for (const Json& policy : answer.value("policies", Json::array()))
        lines += line_of(policy.value("name", ""), policy.value("summary", ""));
    return lines;
}

std::string enabled() {
    std::string lines;
    for (const std::string& name : enabled_programs()) lines += line_of(name, "");
    return lines;
}

std::string programs() {
    ServerLink link;
    std::string lines;
    for (const Json& program : programs_of(ask_all(link, {{"cmd", "status"}}, "processes")))
        lines += line_of(std::to_string(program.value("pid", int64_t{0})), program.value("program", ""));
    return lines;
}

// Returns a line for each queue, or for each device that queues are on.
std::string queues_or_devices(bool devices) {
    ServerLink link;
    const Json answer = ask_all(link, {{"cmd", "list"}}, "queues");
    std::map<std::string, std::string> found;
    for (const Json& queue : answer["queues"]) {
        const std::string name =
            std::to_string(queue.value("pid", int64_t{0})) + "." + std::to_string(queue.value("queue", int64_t{0}));
        if (devices)
            found[std::to_string(queue.value("device_index", 0))] = queue.value("device_name", "");
        else
            found[name] = queue.value("program", "");
    }
    std::string lines;
    for (const auto& [value, what] : found) lines += line_of(value, what);
    return lines;
}

}  // namespace

std::string shell_values(const std::string& kind) {
    wait_for_server_ms(kPatienceMs);
    try {
        if (kind == "ENABLED") return enabled();
        if (kind == "POLICY") return policies();
        if (kind == "PROGRAM") return programs();
        if (kind == "QUEUE" || kind == "DEVICE") return queues_or_devices(kind == "DEVICE");
    } catch (const std::exception&) {
        // no server answers: there is nothing to offer
    }
    return "";
}

}  // namespace xsched::cli
