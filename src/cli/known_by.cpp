#include "cli/known_by.h"

#include <pwd.h>

#include "base/files.h"
#include "base/interpreters.h"
#include "base/printable.h"
#include "base/program_name.h"
#include "cli/metrics/label_sources.h"
#include "console/columns.h"
#include "ipc/protocol.h"

namespace xsched::cli {
namespace {

constexpr size_t kShortId = 12;  // digits of a container's number, as podman and docker show them

std::string value_of(const Labels& labels, const char* name) {
    for (const auto& [label, value] : labels)
        if (label == name) return value;
    return "";
}

std::string words_of(int64_t pid) { return base::text_of_file("/proc/" + std::to_string(pid) + "/cmdline"); }

}  // namespace

std::string user_name(uid_t uid) {
    passwd entry{};
    passwd* found = nullptr;
    std::vector<char> text(4096);
    if (getpwuid_r(uid, &entry, text.data(), text.size(), &found) != 0 || found == nullptr) return std::to_string(uid);
    return found->pw_name;
}

std::string short_name(const std::string& program, size_t columns) {
    const size_t space = program.find(' ');
    const bool fits = console::columns_of(program) <= columns;
    if (fits || space == std::string::npos || !base::is_interpreter(program.substr(0, space).c_str())) return program;
    return program.substr(program.rfind(' ') + 1);
}

std::string name_of_unconnected(const Json& program) {
    const std::string line = words_of(program.value("pid", int64_t{0}));
    char name[sizeof(ipc::Hello::program)];
    base::name_program(program.value("program", "").c_str(), line.data(), line.size(), name, sizeof(name));
    return base::printable(name);
}

std::vector<Json> programs_of(const Json& status) {
    std::vector<Json> programs = status.value("processes", std::vector<Json>{});
    for (Json program : status.value("not_connected", Json::array())) {
        program["program"] = name_of_unconnected(program);
        programs.push_back(std::move(program));
    }
    return programs;
}

std::string unconnected_text(const Json& program, const char* from_run) {
    const std::string pid = std::to_string(program.value("pid", int64_t{0}));
    const std::string text = "pid " + pid + " (" + name_of_unconnected(program) + ")";
    if (!program.value("suspended", false)) return text + from_run;
    return text +
           " has used no device under XSched so far; it will be suspended from its first launch on: 'xcli resume " +
           pid + "' takes that back";
}

std::string command_line_of(int64_t pid) {
    std::string text = words_of(pid);
    while (!text.empty() && text.back() == '\0') text.pop_back();
    for (char& letter : text)
        if (letter == '\0') letter = ' ';
    return text.empty() ? "-" : base::printable(text);
}

std::string place_of(const std::string& cgroup) {
    const Labels labels = LabelSources().of_group(cgroup);
    if (const std::string job = value_of(labels, "slurm_job"); !job.empty()) return "job " + job;
    if (const std::string pod = value_of(labels, "pod"); !pod.empty())
        return "pod " + value_of(labels, "namespace") + "/" + pod;
    if (const std::string uid = value_of(labels, "pod_uid"); !uid.empty()) return "pod " + uid;
    const std::string id = value_of(labels, "container_id");
    return id.empty() ? "" : "container " + id.substr(0, kShortId);
}

}  // namespace xsched::cli
