#include "server/web_port.h"

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/clock.h"
#include "base/log.h"
#include "base/unique_fd.h"
#include "console/end_with.h"

namespace xsched::server {
namespace {

constexpr int64_t kPatienceNs = 5 * base::kSecond;  // longest wait for xcli to listen; "safety": it takes some ms

std::string program_beside(const char* name) {
    char self[PATH_MAX];
    const ssize_t bytes = readlink("/proc/self/exe", self, sizeof(self));
    if (bytes <= 0 || bytes == sizeof(self)) return "";
    const std::string path(self, static_cast<size_t>(bytes));
    return path.substr(0, path.rfind('/') + 1) + name;
}

[[noreturn]] void become_web(const std::string& program, const std::string& place, const std::string& socket,
                             pid_t parent, int out) {
    console::end_with(parent, SIGTERM);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    dup2(out, STDOUT_FILENO);
    setenv("XSCHED_SOCKET", socket.c_str(), 1);
    const std::string token = web_token_file(socket);
    execl(program.c_str(), program.c_str(), "web", "--listen", place.c_str(), "--token-file", token.c_str(), "--json",
          nullptr);
    _exit(127);
}

// Reads xcli's first line: where it serves, or why it does not.
std::string first_line(int out) {
    std::string text;
    const int64_t until_ns = base::now_ns() + kPatienceNs;
    for (int64_t left_ns = kPatienceNs; left_ns > 0 && text.find('\n') == std::string::npos;
         left_ns = until_ns - base::now_ns()) {
        pollfd asked{out, POLLIN, 0};
        if (poll(&asked, 1, static_cast<int>(left_ns / base::kMillisecond) + 1) <= 0) continue;
        char part[1024];
        const ssize_t bytes = read(out, part, sizeof(part));
        if (bytes == 0 || (bytes < 0 && errno != EINTR)) break;
        if (bytes > 0) text.append(part, static_cast<size_t>(bytes));
    }
    return text;
}

// Returns an empty text if it serves.
std::string why_not_served(const std::string& line) {
    const nlohmann::json said = nlohmann::json::parse(line, nullptr, false);
    if (!said.is_object()) return "xcli web says nothing";
    return said.value("ok", false) ? "" : said.value("error", "xcli web does not say why");
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
    int ends[2] = {-1, -1};
    const pid_t child = pipe2(ends, O_CLOEXEC) == 0 ? fork() : -1;
    if (child == 0) become_web(program, place, socket, parent, ends[1]);
    const base::UniqueFd in(ends[0]);
    base::UniqueFd out(ends[1]);
    if (child < 0) {
        XLOG_WARN("port %d is not served: no process can be started (%s)", port, strerror(errno));
        return;
    }
    out.reset();
    const std::string why = why_not_served(first_line(in.get()));
    if (why.empty()) {
        XLOG_INFO("the page and the HTTP API are at %s; the token: %s", place.c_str(), web_token_file(socket).c_str());
        return;
    }
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    // If the web page's port is taken, the server runs without the page. If it ended instead, any user could prevent
    // scheduling by taking this port.
    XLOG_ERRO("port %d is not served: %s", port, why.c_str());
}

}  // namespace xsched::server
