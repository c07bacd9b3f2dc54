#include "cli/pool/pool.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

#include "base/text.h"
#include "cli/quoted.h"
#include "cli/server_link.h"
#include "console/command.h"
#include "host/library_search.h"
#include "ipc/protocol.h"

namespace xsched::cli {
namespace {

constexpr const char* kControl = "nvidia-cuda-mps-control";
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
    char socket[ipc::kSocketPathBytes];
    if (!ipc::user_socket_path(socket, true)) throw Failure("there is no folder for the pool: XSched has none either");
    const std::string folder = std::string(socket).substr(0, std::string(socket).rfind('/')) + "/pool";
    if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        throw Failure("the pool's folder " + folder + " cannot be made (" + strerror(errno) + ")");
    struct stat info{};
    if (lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid())
        throw Failure("the pool's folder " + folder + " belongs to another user: it is not used");
    return folder;
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
    const console::Printed printed =
        console::run_command({"/bin/sh", "-c", line}, environment, console::Errors::kTogether);
    if (!printed.well)
        throw Failure("the pool's service in " + folder_ + " does not run: start it with 'xcli pool start'");
    return printed.text;
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

void Pool::start() const {
    if (runs()) return;
    try {
        ask("");
    } catch (const Failure&) {
        // The command may have started the service although it failed, or another xcli has started it: see below.
    }
    if (!runs()) throw Failure("NVIDIA's service did not start: " + folder_ + "/control.log says why");
}

void Pool::stop() const {
    ask("quit");
    if (runs()) throw Failure("the pool's service in " + folder_ + " does not end: programs still use it");
}

std::vector<int> Pool::programs() const {
    std::vector<int> found;
    for (const int server : numbers("get_server_list")) {
        const std::vector<int> clients = numbers("get_client_list " + std::to_string(server));
        found.insert(found.end(), clients.begin(), clients.end());
    }
    return found;
}

}  // namespace xsched::cli
