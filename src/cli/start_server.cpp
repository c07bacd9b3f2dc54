#include "cli/start_server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "cli/server_link.h"
#include "config/configuration.h"
#include "config/policies.h"
#include "console/fold.h"
#include "ipc/protocol.h"

namespace xsched::cli {
namespace {

constexpr int64_t kStartPatienceNs = 3 * base::kSecond;
constexpr int64_t kRetryUs = 5000;
constexpr off_t kMostLogBytes = 1 << 20;

// Asks the server to stay until this process has used the device. On old kernels the server cannot know this process,
// and may end before that.
void announce(ServerLink& link) {
    try {
        link.ask({{"cmd", "expect"}});
    } catch (const Refusal& refusal) {
        XLOG_DEBG("%s", refusal.what());
    }
}

// Becomes the server, in the child. Never returns.
[[noreturn]] void become_server(char* const* arguments, int output) {
    setsid();
    if (fork() != 0) _exit(0);  // leaves the server without a parent, so that the program's wait() does not see it
    const int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    close_range(STDERR_FILENO + 1, ~0U, 0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (chdir("/") != 0) _exit(127);
    // Removes variables that are meant for the program.
    for (const char* variable : {"LD_PRELOAD", "XLOG_FILE", "CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY",
                                 "XSCHED_SIDE_BY_SIDE", "XSCHED_POLICY"})
        unsetenv(variable);
    execv(arguments[0], arguments);
    dprintf(STDERR_FILENO, "%s cannot be executed (%s)\n", arguments[0], strerror(errno));
    _exit(127);
}

// Takes the whole lines of the server's log out of `text` and passes them on. They come first where its own log cannot
// be written.
void pass_log_on(std::string& text) {
    for (size_t end = 0; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1)) {
        const std::string line = text.substr(0, end);
        if (line.find("[WARN @") == std::string::npos) return;
        console::print_error("%s\n", line.c_str());
    }
}

// Returns the server's sentence: that it listens, or why it does not. Empty: it was silent until `until_ns`.
std::string first_sentence(int fd, int64_t until_ns) {
    std::string text;
    char part[512];
    for (; text.find('\n') == std::string::npos; pass_log_on(text)) {
        const int64_t left = until_ns - base::now_ns();
        pollfd waiting{fd, POLLIN, 0};
        if (left <= 0 || poll(&waiting, 1, static_cast<int>(left / base::kMillisecond) + 1) == 0) break;
        const ssize_t bytes = read(fd, part, sizeof(part));
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes <= 0) break;
        text.append(part, static_cast<size_t>(bytes));
    }
    return text.substr(0, text.find('\n'));
}

// Returns the command line of a new server. The configuration's idle exit counts, and its policy before XSCHED_POLICY,
// which is for programs.
std::vector<std::string> command_line(const std::string& server, std::string policy, const std::string& socket,
                                      const std::string& log) {
    const config::Configuration configuration = config::read_configuration(config::folders(false));
    const auto is_set = [&](const char* name) { return configuration.settings.contains(name); };
    const char* variable = getenv("XSCHED_POLICY");
    if (policy.empty() && variable != nullptr && config::is_policy(variable) && !is_set("server.policy") &&
        !is_set("server.policy_expr"))
        policy = variable;
    std::vector<std::string> words{server, "--socket", socket, "--log-file", log};
    if (!policy.empty()) words.push_back(policy);
    if (!is_set("server.idle_exit")) words.insert(words.end(), {"--idle-exit", kIdleExitSeconds});
    return words;
}

// Starts the server. Returns its first sentence.
std::string launch(const std::string& server, const std::string& policy, const std::string& socket, int64_t until_ns) {
    std::string log = socket.substr(0, socket.rfind('.')) + ".log";
    struct stat info{};
    if (stat(log.c_str(), &info) == 0 && info.st_size > kMostLogBytes && truncate(log.c_str(), 0) != 0)
        XLOG_DEBG("%s cannot be shortened (%s)", log.c_str(), strerror(errno));
    std::vector<std::string> words = command_line(server, policy, socket, log);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return std::string("no pipe: ") + strerror(errno);
    const base::UniqueFd output(ends[0]);
    base::UniqueFd input(ends[1]);
    const pid_t child = fork();
    if (child == 0) become_server(arguments.data(), input.get());
    input.reset();
    if (child < 0) return std::string("no process: ") + strerror(errno);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return first_sentence(output.get(), until_ns);
}

// Waits until a server answers. Any server will do, since another xcli may have started one at the same moment.
bool wait_for_answer(const std::string& socket, int64_t until_ns) {
    do {
        base::UniqueFd connection(ipc::connect_path(socket.c_str()));
        if (connection) {
            ServerLink link(std::move(connection), socket);
            announce(link);
            return true;
        }
        usleep(kRetryUs);
    } while (base::now_ns() < until_ns);
    return false;
}

bool start(const std::string& server, const std::string& policy) {
    char socket[ipc::kSocketPathBytes];
    if (!ipc::user_socket_path(socket, true)) return false;  // it said why
    if (server.empty()) {
        XLOG_WARN("no xserver answers, and none is installed beside xcli: the program runs unscheduled");
        return false;
    }
    const int64_t until = base::now_ns() + kStartPatienceNs;
    const std::string said = launch(server, policy, socket, until);
    const bool listening = said.find("listening on") != std::string::npos;
    const bool taken = said.find("serves") != std::string::npos;  // another process has started one first
    if ((listening || taken) && wait_for_answer(socket, until)) return true;
    XLOG_WARN("no server could be started (%s): the program runs unscheduled",
              said.empty() ? "it did not answer within 3 s" : said.c_str());
    return false;
}

}  // namespace

bool ensure_server(const std::string& server, const std::string& policy, Announced announced) {
    char path[ipc::kSocketPathBytes];
    base::UniqueFd connection(ipc::connect_server(path));
    const bool refused = !connection && (errno == EACCES || errno == EPERM || errno == EAGAIN);
    if (refused) return false;  // connect_server has reported it; a second server at the same place would not help
    try {
        if (!connection) return start(server, policy);
        ServerLink link(std::move(connection), path);
        if (announced == Announced::kYes) announce(link);
        return true;
    } catch (const Failure& failure) {
        XLOG_WARN("%s; the program runs unscheduled", failure.what());
        return false;
    }
}

}  // namespace xsched::cli
