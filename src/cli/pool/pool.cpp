#include "cli/pool/pool.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "base/clock.h"
#include "base/files.h"
#include "base/time.h"
#include "cli/processes.h"
#include "cli/quoted.h"
#include "cli/server_link.h"
#include "console/command.h"
#include "host/library_search.h"

namespace xsched::cli {
namespace {

constexpr const char* kControl = "nvidia-cuda-mps-control";
constexpr const char* kServer = "nvidia-cuda-mps-server";
constexpr const char* kPidFile = "nvidia-cuda-mps-control.pid";
// The daemon makes these in its folder, beside logs (seen with driver 580).
constexpr const char* kPipes[] = {"control", "control_lock", "control_privileged", "log", kPidFile};
constexpr int64_t kQuitPatienceNs = 5 * base::kSecond;  // judgement: a service that ends takes tenths of a second
constexpr int64_t kQuitLookNs = 20 * base::kMillisecond;  // judgement: short for a person, and one read of /proc
// The daemon refuses a question while it answers another ("Cannot send command to MPS control daemon process"; seen
// with driver 580 when three programs and a fourth asked every 50 ms). Judgement: a question takes it some
// milliseconds.
constexpr int kQuestions = 10;
constexpr const char* kNotInstalled =
    "a pool needs NVIDIA's Multi-Process Service, and there is no nvidia-cuda-mps-control on PATH or beside the "
    "driver: install the driver's package with it (nvidia-cuda-mps in Debian)";

std::string on_path(const std::string& name) {
    std::istringstream folders(getenv("PATH") != nullptr ? getenv("PATH") : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (access((folder + "/" + name).c_str(), X_OK) == 0) return folder + "/" + name;
    return "";
}

// Returns the path of a program of the driver's in the folder bin beside the driver's library folder, as containers may
// have it; empty: it is not there.
std::string beside_driver(const std::string& name) {
    struct Search {
        const std::string& name;
        std::string path;
    } found{name, ""};
    static constexpr const char* kNoMoreFolders[] = {nullptr};
    stream::for_each_library_file(
        "libcuda.so.1", kNoMoreFolders,
        [](const char* library, void* data) {
            auto& wanted = *static_cast<Search*>(data);
            const std::string path = library;
            const std::string control = path.substr(0, path.rfind('/')) + "/../bin/" + wanted.name;
            if (access(control.c_str(), X_OK) == 0) wanted.path = control;
            return !wanted.path.empty();
        },
        &found);
    return found.path;
}

std::string private_folder() {
    const std::string folder = pool_folder(true);
    if (folder.empty()) throw Failure("there is no folder for the pool: XSched has none either");
    if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        throw Failure("the pool's folder " + folder + " cannot be made (" + strerror(errno) + ")");
    struct stat info{};
    if (lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid())
        throw Failure("the pool's folder " + folder + " belongs to another user: it is not used");
    return folder;
}

// Returns the name by which a program was started, without its folder.
std::string name_of(pid_t pid) {
    const std::string line = base::text_of_file("/proc/" + std::to_string(pid) + "/cmdline");
    const std::string path = line.substr(0, line.find('\0'));
    return path.substr(path.rfind('/') + 1);
}

// Returns whether the process was started with this entry in its environment.
bool has_variable(pid_t pid, const std::string& entry) {
    const std::string all = '\0' + base::text_of_file("/proc/" + std::to_string(pid) + "/environ") + '\0';
    return all.find('\0' + entry + '\0') != std::string::npos;
}

}  // namespace

Pool::Pool() : control_(on_path(kControl)) {
    if (control_.empty()) control_ = beside_driver(kControl);
    if (control_.empty()) throw Failure(kNotInstalled);
    folder_ = private_folder();
}

std::string Pool::ask(const std::string& command) const {
    std::vector<std::string> environment = console::own_environment();
    // Variables that name another service.
    std::erase_if(environment, [](const std::string& variable) { return variable.starts_with("CUDA_MPS_"); });
    environment.push_back("CUDA_MPS_PIPE_DIRECTORY=" + folder_);
    environment.push_back("CUDA_MPS_LOG_DIRECTORY=" + folder_);
    const std::string line = command.empty() ? quoted(control_) + " -d > /dev/null 2>&1 < /dev/null"
                                             : "echo '" + command + "' | " + quoted(control_);
    for (int left = kQuestions; left > 0; --left) {
        const console::Printed printed =
            console::run_command({"/bin/sh", "-c", line}, environment, console::Errors::kTogether);
        if (printed.well) return printed.text;
        if (command.empty() || !has_daemon()) break;
        base::sleep_ns(kQuitLookNs);
    }
    throw Failure("the pool's service in " + folder_ + " does not run: start it with 'xcli pool start'");
}

std::vector<int> Pool::numbers(const std::string& command) const {
    std::istringstream text(ask(command));
    std::vector<int> found;
    for (int number = 0; text >> number;) found.push_back(number);
    return found;
}

bool Pool::runs() const {
    if (access((folder_ + "/control").c_str(), F_OK) != 0) return false;
    try {
        ask("get_server_list");
        return true;
    } catch (const Failure&) {
        return false;
    }
}

pid_t Pool::daemon() const {
    const std::string text = base::text_of_file(folder_ + "/" + kPidFile);
    const auto pid = static_cast<pid_t>(strtol(text.c_str(), nullptr, 10));
    return pid > 0 && name_of(pid) == kControl ? pid : 0;
}

void Pool::start() const {
    const PoolLock lock(folder_);
    start_locked();
}

void Pool::start_locked() const {
    if (runs()) return;
    if (const pid_t silent = daemon(); silent != 0)
        throw Failure("the pool's service (pid " + std::to_string(silent) +
                      ") does not answer: 'xcli pool stop' ends it, and the next program starts another");
    remove_remains();
    try {
        ask("");
    } catch (const Failure&) {
        // The command may have started the service although it failed: see below.
    }
    if (!runs()) throw Failure("NVIDIA's service did not start: " + folder_ + "/control.log says why");
}

// Removes the pipes of a service that was killed, and ends its MPS server if no program can be in it.
void Pool::remove_remains() const {
    for (const char* name : kPipes) unlink((folder_ + "/" + name).c_str());
    const std::string ours = "CUDA_MPS_PIPE_DIRECTORY=" + folder_;
    std::vector<ProcessMark> servers;
    for (const pid_t pid : all_processes()) {
        if (pid == getpid() || !has_variable(pid, ours)) continue;
        if (name_of(pid) != kServer) return;
        servers.push_back(mark_of(pid));
    }
    for (const ProcessMark& server : servers) server.send(SIGKILL);
}

void Pool::stop() const {
    if (!has_daemon() && !runs()) return;
    faults().note({.kind = PoolFault::kStopped, .at_ms = wall_clock_ms(), .server = 0, .failed = {}, .neighbours = {}},
                  INT64_MAX);
    const PoolLock lock(folder_);
    end_locked();
    if (runs()) throw Failure("the pool's service in " + folder_ + " does not end: programs still use it");
}

void Pool::end_locked() const {
    std::vector<ProcessMark> processes{mark_of(daemon())};
    try {
        for (const PoolServer& server : servers())
            if (name_of(server.pid) == kServer) processes.push_back(mark_of(server.pid));
        ask("quit");
    } catch (const Failure&) {
        // A service that does not answer is killed below.
    }
    const int64_t until_ns = base::now_ns() + kQuitPatienceNs;
    for (const ProcessMark& process : processes) {
        while (process.runs() && base::now_ns() < until_ns) base::sleep_ns(kQuitLookNs);
        process.send(SIGKILL);
    }
}

void Pool::renew(const PoolFault& fault) const {
    const PoolLock lock(folder_);
    bool failed = false;
    if (runs())
        for (const PoolServer& server : servers()) failed |= server.failed && server.pid == fault.server;
    if (failed) end_locked();
    start_locked();
}

std::vector<PoolServer> Pool::servers() const {
    std::vector<PoolServer> found;
    for (const int pid : numbers("get_server_list")) {
        const std::string number = std::to_string(pid);
        PoolServer server{.pid = pid, .failed = false, .programs = numbers("get_client_list " + number)};
        try {
            server.failed = ask("get_server_status " + number).find("FAULT") != std::string::npos;
        } catch (const Failure&) {
            // An older service does not know the command, and reports no fault.
        }
        found.push_back(server);
    }
    return found;
}

}  // namespace xsched::cli
