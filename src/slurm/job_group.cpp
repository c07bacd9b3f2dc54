#include "slurm/job_group.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace xsched::slurm {
namespace {

constexpr const char* kNotes = "/run/xsched-slurm";

std::string text_of(const std::string& file) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::string note_of(uint32_t job) { return std::string(kNotes) + "/" + std::to_string(job); }

std::string name_of(uint32_t job) { return "job_" + std::to_string(job); }

}  // namespace

std::string path_in(const std::string& groups) {
    std::istringstream lines(groups);
    for (std::string line; std::getline(lines, line);)
        if (line.rfind("0::/", 0) == 0) return line.substr(3);
    return "";
}

std::string group_of_job(const std::string& groups, uint32_t job) {
    const std::string path = path_in(groups);
    const std::string name = "/" + name_of(job);
    const size_t at = (path + "/").find(name + "/");
    return at == std::string::npos ? "" : path.substr(0, at + name.size());
}

std::string mount_in(const std::string& mounts) {
    std::istringstream lines(mounts);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string device, place, type;
        if (words >> device >> place >> type && type == "cgroup2") return place;
    }
    return "";
}

std::string enter_group_of_job(uint32_t job, std::string* why) {
    const std::string groups = text_of("/proc/self/cgroup");
    if (const std::string group = group_of_job(groups, job); !group.empty()) return group;
    const std::string mount = mount_in(text_of("/proc/self/mounts"));
    if (mount.empty() || path_in(groups).empty()) {
        *why = "no control groups of version 2 are mounted";
        return "";
    }
    const std::string above = path_in(groups);
    const std::string group = (above == "/" ? "" : above) + "/" + name_of(job);
    if (mkdir((mount + group).c_str(), 0755) != 0 && errno != EEXIST) {
        *why = mount + group + " cannot be made: " + strerror(errno);
        return "";
    }
    std::ofstream processes(mount + group + "/cgroup.procs");
    processes << getpid() << std::flush;
    if (processes) return group;
    *why = "the process cannot be put into " + mount + group + ": " + strerror(errno);
    return "";
}

void note_group(uint32_t job, const std::string& group, const std::vector<std::string>& settings) {
    mkdir(kNotes, 0700);
    std::ofstream note(note_of(job));
    note << group << "\n";
    for (const std::string& setting : settings) note << setting << "\n";
}

std::string noted_group(uint32_t job) {
    std::string group;
    std::ifstream note(note_of(job));
    std::getline(note, group);
    return group;
}

void forget_group(uint32_t job, const std::string& group) {
    unlink(note_of(job).c_str());
    rmdir((mount_in(text_of("/proc/self/mounts")) + group).c_str());  // Slurm has removed its own
}

}  // namespace xsched::slurm
