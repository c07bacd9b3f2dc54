// The commands that only look: list, status, server.
#include "base/clock.h"
#include "policy/policy.h"
#include "sched/core.h"
#include "server/supervisor.h"
#include "server/tool_commands.h"

#include <algorithm>
#include <cstdio>

namespace xsched::server {
namespace {

// Names by number; the client wrote the number, so any may come.
const char* platform_name(uint32_t platform) {
    constexpr const char* kNames[] = {"unknown", "vpi", "cuda", "cudla", "hip", "ascend", "opencl", "levelzero"};
    return platform < std::size(kNames) ? kNames[platform] : "unknown";
}

std::string device_name(uint64_t device) {
    constexpr const char* kTypes[] = {"?", "CPU", "GPU", "NPU", "FPGA", "ASIC", "MCA"};
    const uint64_t type = device >> 32;
    char text[32];
    snprintf(text, sizeof(text), "%s:%x", type < std::size(kTypes) ? kTypes[type] : "?", static_cast<uint32_t>(device));
    return text;
}

double milliseconds(int64_t ns) { return static_cast<double>(ns) / base::kMillisecond; }

// The counters are read one after the other while they move, and their writer is not trusted.
uint64_t difference(uint64_t more, uint64_t less) { return more > less ? more - less : 0; }

struct Explanation {
    bool ready = false;
    bool suspended = false;
    int64_t since_ns = 0;
    int32_t by_pid = 0;
    std::string reason;
    std::string means;  // beyond its gate; empty: none, or it runs
};

Explanation explain(const SeenQueue& queue) {
    const sched::Verdict& verdict = queue.report.verdict;
    Explanation result;
    result.ready = queue.slot.submitted.load() != ipc::completed_commands(queue.slot);
    result.suspended = verdict.suspend;
    result.since_ns = verdict.since_ns;
    result.reason = sched::reason_sentence(verdict.reason);
    if (verdict.suspend && verdict.by != 0) result.by_pid = queue.slot.by_pid.load();
    if (verdict.suspend && queue.report.means > dispatch::Means::kGate)
        result.means = std::string("; by ") + dispatch::means_sentence(queue.report.means);
    return result;
}

std::string program_of(const Request& request, int32_t pid) {
    for (const auto& [id, client] : request.host.clients)
        if (client->peer().pid == pid && request.may_see(*client)) return client->program();
    return "another user's program";
}

// "stands for 12.3 ms: makes room for a more urgent unit that has work (pid 42, server)"
std::string sentence(const Request& request, const Explanation& why, int64_t now_ns) {
    char since[48] = "";
    if (why.since_ns > 0)
        snprintf(since, sizeof(since), " for %.1f ms", milliseconds(std::max<int64_t>(now_ns - why.since_ns, 0)));
    std::string by;
    if (why.by_pid != 0) by = " (pid " + std::to_string(why.by_pid) + ", " + program_of(request, why.by_pid) + ")";
    if (why.suspended)
        return std::string(why.ready ? "stands" : "has no work, kept off") + since + ": " + why.reason + by + why.means;
    if (!why.ready) return "has no work";
    return "runs" + std::string(since) + ": " + why.reason;
}

Json describe_queue(const Request& request, const SeenQueue& queue, int64_t now_ns) {
    ipc::QueueSlot& slot = queue.slot;
    const Explanation why = explain(queue);
    const uint64_t submitted = slot.submitted.load();
    const uint64_t launched = slot.launched.load();
    const uint64_t completed = ipc::completed_commands(slot);
    return {{"pid", queue.client.peer().pid},
            {"uid", queue.client.peer().uid},
            {"client", queue.client.id()},
            {"program", queue.client.program()},
            {"queue", slot.handle.load()},
            {"hwq", slot.hwq.load()},
            {"device", device_name(slot.device.load())},
            {"platform", platform_name(slot.platform.load())},
            {"priority", slot.priority.load()},
            {"utilization", slot.utilization.load()},
            {"timeslice_us", slot.timeslice_us.load()},
            {"expect_in_us", std::max<int64_t>(slot.expect_ns.load() - now_ns, 0) / base::kMicrosecond},
            {"period_us", slot.period_us.load()},
            {"level", slot.level.load()},
            {"levels", slot.levels.load()},
            {"threshold", slot.threshold.load()},
            {"batch_size", slot.batch_size.load()},
            {"state", why.ready ? "ready" : "idle"},
            {"submitted", submitted},
            {"pending", difference(submitted, launched)},
            {"in_flight", difference(launched, completed)},
            {"completed", completed},
            {"command_ms", milliseconds(slot.command_ns.load())},
            {"busy_ms", milliseconds(slot.busy_ns.load())},
            {"suspended", why.suspended},
            {"interrupted", slot.interrupted.load() != 0},
            {"device_timeslice_us", slot.device_timeslice_us.load()},
            {"means", dispatch::means_sentence(queue.report.means)},
            {"reason", why.reason},
            {"by_pid", why.by_pid},
            {"since_ms", why.since_ns > 0 ? milliseconds(now_ns - why.since_ns) : 0.0},
            {"delayed_ms", milliseconds(queue.report.suspended_total_ns)},
            {"process_caused_ms", milliseconds(request.host.dispatcher.delay_caused_ns(queue.client.id()))},
            {"preemptions", queue.report.preemptions},
            {"explanation", sentence(request, why, now_ns)}};
}

Json describe_process(const Request& request, const Client& client, const std::vector<SeenQueue>& queues,
                      int64_t now_ns) {
    Json explanations = Json::array();
    int64_t delayed_ns = 0;
    uint64_t preemptions = 0;
    uint64_t completed = 0;
    unsigned count = 0;
    bool runs = false;
    bool stands = false;
    for (const SeenQueue& queue : queues) {
        if (&queue.client != &client) continue;
        const Explanation why = explain(queue);
        runs = runs || (why.ready && !why.suspended);
        stands = stands || (why.ready && why.suspended);
        ++count;
        completed += queue.slot.completed.load();
        delayed_ns = std::max(delayed_ns, queue.report.suspended_total_ns);
        preemptions = std::max(preemptions, queue.report.preemptions);
        const std::string text = "priority " + std::to_string(queue.slot.priority.load()) + " on " +
                                 device_name(queue.slot.device.load()) + " " + sentence(request, why, now_ns);
        if (std::find(explanations.begin(), explanations.end(), text) == explanations.end())
            explanations.push_back(text);
    }
    const char* state = runs && stands ? "runs in part" : runs ? "runs" : stands ? "stands" : "idle";
    return {{"pid", client.peer().pid},
            {"uid", client.peer().uid},
            {"client", client.id()},
            {"program", client.program()},
            {"queues", count},
            {"state", state},
            {"completed", completed},
            {"explanations", explanations},
            {"delayed_ms", milliseconds(delayed_ns)},
            {"caused_ms", milliseconds(request.host.dispatcher.delay_caused_ns(client.id()))},
            {"preemptions", preemptions}};
}

}  // namespace

Json list_queues(const Request& request) {
    const int64_t now = base::now_ns();
    Json queues = Json::array();
    for (const SeenQueue& queue : visible_queues(request)) queues.push_back(describe_queue(request, queue, now));
    return {{"policy", request.host.dispatcher.core().policy_name()}, {"queues", queues}};
}

Json explain_status(const Request& request) {
    const int64_t now = base::now_ns();
    const auto pid = request.pid();
    if (pid) named_clients(request, *pid);
    const auto queues = visible_queues(request);
    Json processes = Json::array();
    for (const auto& [id, client] : request.host.clients)
        if (request.may_see(*client) && (!pid || client->peer().pid == *pid))
            processes.push_back(describe_process(request, *client, queues, now));
    return {{"policy", request.host.dispatcher.core().policy_name()}, {"processes", processes}};
}

Json describe_server(const Request& request) {
    const Options& options = request.host.options;
    const SupervisedMemory* supervised = options.supervised;
    return {{"pid", getpid()},
            {"version", XSCHED_VERSION},
            {"protocol", ipc::kVersion},
            {"socket", options.socket},
            {"scope", options.scope == ipc::SocketScope::kSystem ? "system" : "user"},
            {"policy", request.host.dispatcher.core().policy_name()},
            {"supervisor", supervised != nullptr ? supervised->supervisor : 0},
            {"restarts", supervised != nullptr ? supervised->restarts : 0},
            {"clients", request.host.clients.size()},
            {"uptime_s", static_cast<double>(base::now_ns() - request.host.started_ns) / base::kSecond},
            {"idle_exit_s", options.idle_exit_ns / base::kSecond},
            {"starvation_limit_ms", options.starvation_limit_ns / base::kMillisecond},
            {"spin_us", options.spin_ns / base::kMicrosecond}};
}

Json expect_program(const Request& request) {
    if (!request.host.expect(request.peer.pid))
        throw ToolError("the server cannot wait for process " + std::to_string(request.peer.pid) +
                        ": it may leave before the program's first use of the device");
    return Json::object();
}

}  // namespace xsched::server
