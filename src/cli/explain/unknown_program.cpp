#include "cli/explain/unknown_program.h"

#include <sys/stat.h>
#include <unistd.h>

#include <map>

#include "base/did_you_mean.h"
#include "base/files.h"
#include "cli/devices/device_users.h"
#include "cli/known_by.h"
#include "cli/pool/fault.h"
#include "cli/processes.h"
#include "ipc/region.h"

namespace xsched::cli {
namespace {

constexpr size_t kMostDigits = 9;  // safety: a number of a process has fewer
constexpr const char* kOthers = "'xcli status' shows the programs of this server";

bool is_number(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

std::string process_text(const std::string& pid) {
    return "process " + pid + " (" + command_line_of(std::stoll(pid)) + ") ";
}

// Says why a process that runs is not connected to this server. Empty: there is no such process.
std::string why_apart(const std::string& pid) {
    const std::string folder = "/proc/" + pid;
    const std::string process = process_text(pid);
    if (access(folder.c_str(), F_OK) != 0) return "";
    const std::string maps = base::text_of_file(folder + "/maps");
    if (has_shim(folder) && maps.find(std::string("/memfd:") + ipc::kRegionName) == std::string::npos)
        return process +
               "has XSched loaded, and is connected to no server: it has used no device so far, or schedules itself";
    if (has_shim(folder))
        return process +
               "has XSched loaded, and is not connected to this server: 'xcli doctor' shows which others there are";
    if (maps.empty())
        return process +
               "is not scheduled by this server, and the system does not let you see whether XSched is loaded";
    return process + "runs without XSched: start it with 'xcli run -- PROGRAM'";
}

// Says why a running process is not scheduled by this server. `user`: the process's user.
std::string why_unscheduled(const std::string& pid, uid_t user) {
    const std::string process = process_text(pid);
    if (user != geteuid() && geteuid() != 0)
        return process + "belongs to " + user_name(user) + ": only that user and root may see how it is scheduled";
    return why_apart(pid);
}

// Returns the processes that `ancestor` started, of those in a list of the server's answer.
std::vector<Json> started_by(int64_t ancestor, const Json& status, const char* list) {
    std::vector<Json> found;
    for (const Json& program : status.value(list, Json::array())) {
        const auto pid = program.value("pid", int64_t{0});
        if (pid != ancestor && belongs_to(static_cast<pid_t>(pid), static_cast<pid_t>(ancestor)))
            found.push_back(program);
    }
    return found;
}

std::string not_connected_text(const Json& program) {
    return unconnected_text(
        program,
        " was started by 'xcli run' and has used no device so far: it is scheduled from its first launch on; if it "
        "works on a device by now, nothing can be loaded into it (a static or set-user-id program, see 'xcli doctor')");
}

// Says which of the processes that this one started are the programs that may be meant. Empty: none is known.
std::string its_children(const std::string& pid, const Json& status) {
    const std::string process = process_text(pid) + "is not scheduled itself; its ";
    std::map<int64_t, std::string> scheduled;
    for (const Json& program : started_by(std::stoll(pid), status, "processes"))
        scheduled[program.value("pid", int64_t{0})] = program.value("program", "");
    std::string names, numbers;
    for (const auto& [number, name] : scheduled) {
        names += (names.empty() ? "pid " : ", pid ") + std::to_string(number) + " (" + name + ")";
        numbers += " " + std::to_string(number);
    }
    if (!scheduled.empty())
        return process + (scheduled.size() == 1 ? "child " + names + " is" : "children " + names + " are") +
               " scheduled: xcli explain" + numbers;
    const std::vector<Json> waiting = started_by(std::stoll(pid), status, "not_connected");
    return waiting.empty() ? "" : process + "child " + not_connected_text(waiting.front());
}

}  // namespace

std::vector<Json> programs_behind(const Json& status, int64_t pid) {
    for (const char* list : {"processes", "not_connected"})
        for (const Json& program : status.value(list, Json::array()))
            if (program.value("pid", int64_t{0}) == pid) return {};
    const std::vector<Json> scheduled = started_by(pid, status, "processes");
    return scheduled.empty() ? started_by(pid, status, "not_connected") : scheduled;
}

std::string why_kept(const Json& answer, int64_t pid) {
    return answer.value("connected", true) || answer.value("announced", false) ? "" : why_apart(std::to_string(pid));
}

Explained without_queues(const Json& program) {
    if (program.value("state", "") == "suspended")
        return {.finding = WhySlow::kNoQueues,
                .headline = "it has no queue, and will be suspended from its first launch on, as a person asked",
                .advice = "xcli resume " + std::to_string(program.value("pid", int64_t{0}))};
    return {.finding = WhySlow::kNoQueues,
            .not_us = true,
            .headline = "not us: it has no queue, so nothing of it is scheduled",
            .advice = "a queue comes with the program's first launch; if it launches and has none, see 'xcli doctor'"};
}

std::string no_such_program(const std::vector<Json>& programs, const std::string& name) {
    std::vector<std::string> known;
    for (const Json& program : programs) {
        const std::string whole = program.value("program", "");
        known.push_back(whole);
        const std::string last = whole.substr(whole.rfind(' ') + 1);  // of "python3 train.py"
        if (last != whole) known.push_back(last);
    }
    return "no program \"" + name + "\" is scheduled by this server" + base::meant(known, name) +
           ": 'xcli status' shows those there are";
}

std::string why_unknown(const Json& status, const std::string& name) {
    const bool is_pid = is_number(name) && name.size() <= kMostDigits;
    if (const std::string lost = is_pid ? pool_sentence(std::stoll(name)) : ""; !lost.empty()) return lost;
    if (const std::string children = is_pid ? its_children(name, status) : ""; !children.empty()) return children;
    for (const Json& program : status.value("not_connected", Json::array())) {
        const std::string pid = std::to_string(program.value("pid", int64_t{0}));
        const std::string called = name_of_unconnected(program);
        if (pid != name && called.find(name) == std::string::npos) continue;
        return not_connected_text(program);
    }
    if (!is_pid) return no_such_program(programs_of(status), name);
    struct stat found{};
    if (stat(("/proc/" + name).c_str(), &found) != 0)
        return "no process has the number " + name + ", or it has ended: " + kOthers;
    if (base::text_of_file("/proc/" + name + "/status").find("\nState:\tZ") != std::string::npos)
        return "process " + name + " has ended, and its parent has not asked for its exit status yet: " + kOthers;
    return why_unscheduled(name, found.st_uid);
}

}  // namespace xsched::cli
