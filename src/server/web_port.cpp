#include "server/web_port.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/log.h"

namespace xsched::server {
namespace {

std::string program_beside(const char* name) {
    char self[PATH_MAX];
    const ssize_t bytes = readlink("/proc/self/exe", self, sizeof(self));
    if (bytes <= 0 || bytes == sizeof(self)) return "";
    const std::string path(self, static_cast<size_t>(bytes));
    return path.substr(0, path.rfind('/') + 1) + name;
}

[[noreturn]] void become_web(const std::string& program, const std::string& place, const std::string& socket,
                             pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (getppid() != parent) _exit(0);  // it went before we could ask to be told
    dup2(STDERR_FILENO, STDOUT_FILENO);
    setenv("XSCHED_SOCKET", socket.c_str(), 1);
    const std::string token = web_token_file(socket);
    execl(program.c_str(), program.c_str(), "web", "--listen", place.c_str(), "--token-file", token.c_str(), nullptr);
    _exit(127);
}

}  // namespace

std::string web_token_file(const std::string& socket) { return socket + ".token"; }

void serve_web_port(int port, const std::string& socket) {
    const std::string program = program_beside("xcli");
    if (program.empty() || access(program.c_str(), X_OK) != 0) {
        XLOG_WARN("port %d is not served: there is no xcli beside xserver (%s)", port, program.c_str());
        return;
    }
    const std::string place = "127.0.0.1:" + std::to_string(port);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) become_web(program, place, socket, parent);
    if (child < 0)
        XLOG_WARN("port %d is not served: no process can be started (%s)", port, strerror(errno));
    else
        XLOG_INFO("the page and the HTTP API are at %s; the token: %s", place.c_str(), web_token_file(socket).c_str());
}

}  // namespace xsched::server
