#include "cli/targets.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <set>

#include "base/files.h"
#include "base/text.h"
#include "cli/explain/unknown_program.h"
#include "cli/known_by.h"
#include "console/fold.h"

namespace xsched::cli {
namespace {

std::optional<uint64_t> number_in(const std::string& text) {
    if (text.empty() || text.front() == '-') return std::nullopt;
    char* end = nullptr;
    errno = 0;
    const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    const unsigned long long number = strtoull(text.c_str(), &end, is_hexadecimal ? 16 : 10);
    if (errno != 0 || end == text.c_str() || *end != '\0') return std::nullopt;
    return number;
}

// "17.2", "2", "0x1f"
Json queue_of(const std::string& text, const Target& target) {
    const size_t point = text.find('.');
    const auto queue = number_in(point == std::string::npos ? text : text.substr(point + 1));
    const auto pid = point == std::string::npos ? std::nullopt : number_in(text.substr(0, point));
    if (!queue || (point != std::string::npos && !pid))
        throw Failure("\"" + text +
                      "\" is not a queue's number: use PID.QUEUE as 'xcli list' shows them, such as 812.1");
    if (!target.device.empty()) throw Failure("queue " + text + " is on one device: leave out --device, or the queue");
    if (pid && !target.who.empty())
        throw Failure("queue " + text + " names its process already: leave out " + target.who.front());
    Json request{{"queue", *queue}, {"typed", text}};
    if (pid) request["pid"] = *pid;
    return request;
}

bool is_on(const Json& queue, const std::string& device) {
    if (const auto number = number_in(device); number && queue["device_index"].is_number())
        return queue["device_index"] == *number;
    return queue.value("device", "").find(device) != std::string::npos ||
           queue.value("device_name", "").find(device) != std::string::npos;
}

bool is_one_of(const Json& entry, const std::vector<std::string>& who) {
    return std::any_of(who.begin(), who.end(), [&entry](const std::string& one) {
        if (const auto number = number_in(one)) return entry.value("pid", int64_t{0}) == static_cast<int64_t>(*number);
        return entry.value("program", "").find(one) != std::string::npos;
    });
}

std::vector<Json> queues_on(ServerLink& link, const Target& target) {
    std::vector<Json> requests;
    const Json answer = ask_all(link, {{"cmd", "list"}}, "queues");
    for (const Json& queue : answer["queues"])
        if (is_on(queue, target.device) && (target.who.empty() || is_one_of(queue, target.who)))
            requests.push_back({{"pid", queue["pid"]}, {"queue", queue["queue"]}});
    std::string of;
    for (const std::string& one : target.who) of += (of.empty() ? " of " : " or ") + one;
    if (requests.empty())
        throw Failure("no queue" + of + " is on device \"" + target.device + "\": 'xcli list' shows the devices",
                      kNobody);
    return requests;
}

// Returns the programs for which an order to this process is meant: itself, or those that it started, as a shell or
// timeout. Says so then.
std::set<int64_t> meant_by(ServerLink& link, int64_t pid) {
    const std::string number = std::to_string(pid);
    if (base::text_of_file("/proc/" + number + "/task/" + number + "/children").empty()) return {pid};
    std::set<int64_t> meant;
    std::string names;
    for (const Json& program : programs_behind(ask_all(link, {{"cmd", "status"}}, "processes"), pid)) {
        const auto own = program.value("pid", int64_t{0});
        if (!meant.insert(own).second) continue;
        names += (names.empty() ? "pid " : ", pid ") + std::to_string(own) + " (" + command_line_of(own) + ")";
    }
    if (meant.empty()) return {pid};
    console::print_error("xcli: process %s is not scheduled itself: this is for %s, which it started\n", number.c_str(),
                         names.c_str());
    return meant;
}

std::vector<Json> processes_named(ServerLink& link, const Target& target) {
    std::vector<Json> requests;
    Json status;
    std::vector<Json> programs;
    std::set<int64_t> seen;
    const auto add = [&](int64_t pid) {
        if (seen.insert(pid).second) requests.push_back({{"pid", pid}});
    };
    const bool names = std::any_of(target.who.begin(), target.who.end(),
                                   [](const std::string& one) { return !number_in(one).has_value(); });
    if (names || target.all) programs = programs_of(status = ask_all(link, {{"cmd", "status"}}, "processes"));
    for (const std::string& one : target.who) {
        if (const auto number = number_in(one)) {
            for (const int64_t pid : meant_by(link, static_cast<int64_t>(*number))) add(pid);
            continue;
        }
        bool found = false;
        for (const Json& program : programs) {
            if (!is_one_of(program, {one})) continue;
            add(program.value("pid", int64_t{0}));
            found = true;
        }
        if (!found) throw Failure(why_unknown(status, one), kNobody);
    }
    // A program without queues is among all if a person suspended it, so that resume takes that back.
    if (target.all)
        for (const Json& program : programs)
            if (program.value("suspended", true)) add(program.value("pid", int64_t{0}));
    if (target.all && requests.empty())
        throw Failure("no program is scheduled: start one with 'xcli run -- PROGRAM'", kNobody);
    return requests;
}

// Makes the named process that of the queues.
void name_process(std::vector<Json>& queues, const std::vector<Json>& processes, const Target& target) {
    if (processes.size() > 1)
        throw Failure("several processes are named beside queue " + target.queues.front() +
                      ": say of which one the queue is (--pid PID)");
    for (Json& queue : queues) queue.update(processes.front());
}

}  // namespace

std::vector<Json> requests_of(ServerLink& link, const Target& target) {
    std::vector<Json> requests;
    for (const std::string& queue : target.queues) requests.push_back(queue_of(queue, target));
    if (!requests.empty() && !target.who.empty()) name_process(requests, processes_named(link, target), target);
    if (!requests.empty()) return requests;
    return target.device.empty() ? processes_named(link, target) : queues_on(link, target);
}

std::string name_of(const Json& request) {
    const std::string pid = std::to_string(request.value("pid", int64_t{0}));
    if (!request.contains("queue")) return "pid " + pid;
    const std::string number = std::to_string(request.value("queue", uint64_t{0}));
    return "queue " + request.value("typed", request.contains("pid") ? pid + "." + number : number);
}

}  // namespace xsched::cli
