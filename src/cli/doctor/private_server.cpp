#include "cli/doctor/private_server.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "console/end_with.h"
#include "ipc/protocol.h"

namespace xsched::cli {
namespace {

constexpr int64_t kPatienceNs = 3 * base::kSecond;
constexpr useconds_t kAskAgainUs = 5000;

std::string new_folder() {
    std::error_code error;
    std::string name = std::filesystem::temp_directory_path(error) / "xsched-doctor-XXXXXX";
    return mkdtemp(name.data()) != nullptr ? name : "";
}

}  // namespace

PrivateServer::PrivateServer(const std::string& program) : folder_(new_folder()) {
    ready_ = !program.empty() && !folder_.empty() && start(program);
}

PrivateServer::~PrivateServer() {
    if (pid_ > 0) {
        kill(pid_, SIGTERM);
        const int64_t until = base::now_ns() + kPatienceNs;
        while (waitpid(pid_, nullptr, WNOHANG) == 0) {
            if (base::now_ns() > until) kill(pid_, SIGKILL);
            usleep(kAskAgainUs);
        }
    }
    std::error_code error;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, error);
}

bool PrivateServer::start(const std::string& program) {
    const std::string place = socket();
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) {
        console::end_with(parent, SIGTERM);
        const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0) _exit(1);
        unsetenv("LD_PRELOAD");
        execl(program.c_str(), program.c_str(), "--no-supervise", "--socket", place.c_str(), "HPF", nullptr);
        _exit(1);
    }
    const int64_t until = base::now_ns() + kPatienceNs;
    while (pid_ > 0 && base::now_ns() < until) {
        if (base::UniqueFd(ipc::connect_path(place.c_str()))) return true;
        usleep(kAskAgainUs);
    }
    return false;
}

}  // namespace xsched::cli
