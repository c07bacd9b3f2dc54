// xserver [POLICY] [PORT] [options]
#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "base/clock.h"
#include "base/log.h"
#include "base/standard_fds.h"
#include "config/variable_names.h"
#include "console/checks.h"
#include "console/command_line.h"
#include "console/help.h"
#include "console/man_page.h"
#include "policy/no_such_policy.h"
#include "server/announcement.h"
#include "server/background.h"
#include "server/configured.h"
#include "server/ending_signals.h"
#include "server/last_words.h"
#include "server/log_writer.h"
#include "server/server.h"
#include "server/service_manager.h"
#include "server/supervisor.h"
#include "server/thread/in_advance.h"
#include "server/thread/latency.h"
#include "server/thread/resident.h"
#include "server/web_port.h"

namespace {

using xsched::console::kUsage;
using xsched::console::not_empty;
using xsched::server::Options;

struct CommandLine {
    Options options;
    std::string policy;
    int port = 0;
    double idle_exit_s = 0;
    bool system = false;
    bool foreground = true;
    bool background = false;
    bool no_supervise = false;
    bool no_flight_recorder = false;
};

// Adds an option for each setting of the server (base/options.def) that takes a value.
void describe_settings(CLI::App& app, CommandLine& line) {
    for (const xsched::config::Setting& setting : xsched::config::settings()) {
        if (setting.table != "server" || setting.key == "idle_exit" || setting.key == "flight_recorder") continue;
        const std::string fallback = setting.fallback.empty() ? "" : " (" + setting.fallback + ")";
        CLI::Option* option = app.add_option_function<std::string>(
            setting.flag(),
            [&line, name = setting.name()](const std::string& text) { line.options.flags[name] = text; },
            setting.help + fallback);
        if (setting.is_number) option->check(xsched::console::between(setting.least, setting.most));
        if (setting.key == "share_unit")
            option->transform(xsched::console::one_of("unit", {"program", "queue", "user", "cgroup"}));
    }
}

void describe(CLI::App& app, CommandLine& line) {
    app.add_option("POLICY", line.policy, "the policy to start with (HPF)")->check(not_empty("the policy"));
    app.add_option("PORT", line.port, "serve the page and the HTTP API at 127.0.0.1:PORT too, with a token (xcli web)")
        ->check(xsched::console::between(0, 65535));
    describe_settings(app, line);
    app.add_option("--socket", line.options.socket,
                   "where to listen (default: XSCHED_SOCKET, else the runtime directory)")
        ->check(not_empty("the socket"));
    app.add_flag("--system", line.system, "serve all users (at /run/xsched/xserver.sock unless --socket is given)");
    app.add_option("--idle-exit", line.idle_exit_s, "exit after this time without a client or a tool (5m); 0: never")
        ->transform(xsched::console::seconds_between(0, 1e6));
    app.add_option("--log-file", line.options.log_file, "append the log to this file instead of standard error")
        ->check(not_empty("the file"));
    app.add_option(
           "--limit", line.options.limit_flags,
           "a limit: NAME=NUMBER for every ordinary user, USER:NAME=NUMBER for one user ('xcli status --limits' "
           "lists the names), /CGROUP:NAME=NUMBER for a control group, with share, device-limit, highest-priority, "
           "memory-limit or memory-guarantee (20GiB)")
        ->allow_extra_args(false);
    CLI::Option* foreground = app.add_flag("--foreground", line.foreground,
                                           "stay in the foreground, which is the default (for service files)");
    app.add_flag(
           "--background", line.background,
           "detach from the caller, log beside the socket, and --idle-exit 60 (programs start it so if none runs)")
        ->excludes(foreground);
    app.add_flag("--no-flight-recorder", line.no_flight_recorder,
                 "do not record the last 30 s (5 MiB, for 'xcli trace --last')");
    app.add_flag("--no-supervise", line.no_supervise,
                 "have no parent process that restarts the server if it dies or hangs (for service managers)");
    app.footer(std::string("It ends by Ctrl-C, by 'kill PID' ('xcli server' shows the pid) or after\n"
                           "--idle-exit; as a service, by 'systemctl stop xserver' ('systemctl --user stop\n"
                           "xserver' for a server of your own). Programs go on unscheduled.\n\n") +
               xsched::console::kWherePagesAre);
    app.set_version_flag("--version", XSCHED_VERSION);
    xsched::console::add_man_page(
        app, "xserver", 8, XSCHED_VERSION,
        "XSCHED_SOCKET: where to listen, unless --socket says so. XLOG_LEVEL: DEBG, INFO, WARN or ERRO.");
}

// Returns a number of seconds as people write it: "60" or "0.5".
std::string seconds_text(double seconds) {
    char text[32];
    snprintf(text, sizeof(text), "%.15g", seconds);
    return text;
}

// Adds what the command line says in other ways than by an option with a value. Throws a sentence if a value is
// missing, or two say different things.
void take_flags(CommandLine& line) {
    auto& flags = line.options.flags;
    for (const xsched::config::Setting& setting : xsched::config::settings())
        if (const auto flag = flags.find(setting.name()); flag != flags.end() && flag->second.empty())
            throw std::runtime_error(setting.flag() + " is empty (is a variable not set?)");
    if (const auto flag = flags.find("server.policy");
        flag != flags.end() && !line.policy.empty() && flag->second != line.policy)
        throw std::runtime_error("it cannot start with both policies, " + line.policy + " and --policy " +
                                 flag->second + ": name one");
    if (!line.policy.empty()) flags.emplace("server.policy", line.policy);
    if (flags.contains("server.policy") && flags.contains("server.policy_expr"))
        throw std::runtime_error("it cannot start with both policy " + flags["server.policy"] +
                                 " and --policy-expr: leave out one of them");
    if (line.idle_exit_s != 0) flags["server.idle_exit"] = seconds_text(line.idle_exit_s);
    if (line.no_flight_recorder) flags["server.flight_recorder"] = "0";
}

// Returns a sentence about the variable that names the policy of programs, which may have been meant for the server.
std::string no_policy_of_servers(const std::string& policy) {
    const bool is_known = xsched::policy::find_policy(policy.c_str()) != nullptr;
    return "XSCHED_POLICY=" + policy + " is for programs and has no effect on a server" +
           (is_known ? "" : xsched::base::meant(xsched::policy::policy_names(), policy)) +
           ": write 'xserver NAME' or XSERVER_POLICY=NAME";
}

// Completes and checks the options. Writes a sentence and returns false if they cannot be used together or name a thing
// that does not exist.
bool complete(CommandLine& line) {
    Options& options = line.options;
    options.scope = line.system ? xsched::ipc::SocketScope::kSystem : xsched::ipc::SocketScope::kUser;
    try {
        take_flags(line);
        xsched::config::Configuration configuration = xsched::server::read_configuration(options);
        for (const xsched::config::Problem& problem : configuration.problems)
            if (getenv(problem.place.c_str()) != nullptr) fprintf(stderr, "xserver: %s\n", problem.text().c_str());
        for (const std::string& sentence : xsched::config::misspelt_variables())
            fprintf(stderr, "xserver: %s\n", sentence.c_str());
        if (const char* policy = getenv("XSCHED_POLICY"); policy != nullptr && *policy != '\0')
            fprintf(stderr, "xserver: %s\n", no_policy_of_servers(policy).c_str());
        // Before anything reads it. A variable with a problem is told above, and gone from here on.
        xsched::config::put_into_environment(configuration);
        if (line.background && !configuration.settings.contains("server.idle_exit"))
            options.flags["server.idle_exit"] = xsched::server::kIdleExitSeconds;
        xsched::server::take_configuration(options, xsched::server::read_configuration(options));
    } catch (const std::runtime_error& error) {
        fprintf(stderr, "xserver: %s\n", error.what());
        return false;
    }
    if (options.socket.empty() && line.system) options.socket = xsched::ipc::system_socket_path();
    if (options.socket.empty()) {
        char path[xsched::ipc::kSocketPathBytes];
        if (!xsched::ipc::user_socket_path(path, true)) return false;
        options.socket = path;
    }
    return true;
}

// Chooses the socket and the log file of a server with `--background`, where the command line names none. Returns false
// if there is no place for the socket.
bool settle_in_background(CommandLine& line) {
    if (!line.background) return true;
    char path[xsched::ipc::kSocketPathBytes];
    if (line.options.socket.empty()) {
        if (!xsched::ipc::user_socket_path(path, true)) return false;
        line.options.socket = path;
    }
    if (line.options.log_file.empty()) line.options.log_file = xsched::server::background_log(line.options.socket);
    return true;
}

// Raises soft limits of descriptors and file sizes. The usual soft limit of 1024 descriptors is soon reached, since
// each client takes one or two. Each client's memory counts as a file. Limits of memory and of stacks stay as they were
// set.
void raise_soft_limits() {
    for (const int resource : {RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_CPU}) {
        rlimit limit{};
        if (getrlimit(resource, &limit) != 0) continue;
        limit.rlim_cur = limit.rlim_max;
        setrlimit(resource, &limit);
    }
}

// Ignores the signals that report an exceeded limit, since the call that exceeded it also fails. A server that has used
// up its soft limit of processor time goes on until the hard limit.
void ignore_signals_of_limits() {
    for (const int number : {SIGPIPE, SIGXFSZ, SIGXCPU}) signal(number, SIG_IGN);
}

// Returns the policy as the command line names it. The name of a policy from a library is known only once it is loaded.
const char* asked_policy(const Options& options) {
    if (!options.policy_file.empty()) return options.policy_file.c_str();
    return options.policy_line.empty() ? options.policy.c_str() : options.policy_line.c_str();
}

// Redirects standard output and error to the log: they may have no reader from here on, and libraries still write
// there.
void leave_starter(const Options& options) {
    if (options.log_file.empty()) return;
    const int log = open(options.log_file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nothing >= 0) dup2(nothing, STDOUT_FILENO);
    if (log >= 0 || nothing >= 0) dup2(log >= 0 ? log : nothing, STDERR_FILENO);
    if (log >= 0) close(log);
    if (nothing >= 0) close(nothing);
}

// Returns how a person ends this server; empty if a service manager started it, which has its own command for that.
std::string way_to_end(const Options& options, const xsched::server::ServiceManager& manager) {
    if (manager.is_there()) return "";
    const double seconds = static_cast<double>(options.idle_exit_ns) / xsched::base::kSecond;
    return "; Ctrl-C or 'kill " + std::to_string(getpid()) + "' ends it" +
           (seconds > 0 ? ", as do " + seconds_text(seconds) + " s without a program or tool" : "");
}

// Tells the process that started this server that it listens: on standard output, or by a socket. The log says so where
// it is a file: elsewhere both are read in one place.
void report_listening(const Options& options, const xsched::server::ServiceManager& manager) {
    if (!options.log_file.empty())
        XLOG_INFO("listening on %s, using policy %s", options.socket.c_str(), asked_policy(options));
    printf("xserver: listening on %s with policy %s%s\n", options.socket.c_str(), asked_policy(options),
           way_to_end(options, manager).c_str());
    fflush(stdout);
    manager.tell("READY=1\nSTATUS=listening on ", options.socket);
    leave_starter(options);
}

// Runs the server, with the configuration as it is now. `begun`: called once it serves.
int run_server(Options options, std::vector<xsched::server::Listener> listeners, const std::function<void()>& begun) {
    try {
        xsched::server::take_configuration(options, xsched::server::read_configuration(options));
        for (const xsched::config::Problem& problem : options.configuration.problems)
            XLOG_WARN("%s", problem.text().c_str());
        xsched::server::stay_resident();
        xsched::server::take_in_advance();
        // Never destroyed: that would close descriptors that peers have sent, which may block. They go with the
        // process.
        auto& server = *new xsched::server::Server(options, std::move(listeners));  // NOLINT
        begun();
        // Logs the end of the earlier server directly: this server may end before the log's thread writes it.
        if (options.supervised != nullptr && options.supervised->obituary[0] != '\0')
            XLOG_WARN("%s", options.supervised->obituary);
        xsched::server::begin_log_writer();
        server.run();
        xsched::server::end_log_writer();
        return 0;
    } catch (const std::exception& error) {
        xsched::server::say_last_words(error);
        return kUsage;
    }
}

// Serves in this process, without a supervisor. Ends without closing packets that peers have sent.
[[noreturn]] void serve_unsupervised(Options options, std::vector<xsched::server::Listener> listeners,
                                     xsched::server::ServiceManager& manager) {
    int status = 0;
    options.manager = &manager;
    {
        const xsched::server::Announcement announcement(options.socket);
        status = run_server(options, std::move(listeners), [&] { report_listening(options, manager); });
    }
    _exit(status);
}

int serve(const CommandLine& line) {
    const Options& options = line.options;
    xsched::server::ServiceManager manager;
    try {
        std::vector<xsched::server::Listener> listeners;
        listeners.emplace_back(options.socket, options.scope);
        if (!options.guest_socket.empty())
            listeners.emplace_back(options.guest_socket, xsched::ipc::SocketScope::kSystem);
        if (line.port != 0) xsched::server::serve_web_port(line.port, options.socket);
        if (line.no_supervise) serve_unsupervised(options, std::move(listeners), manager);
        const xsched::server::Announcement announcement(options.socket);
        const auto serve_once = [&](xsched::server::SupervisedMemory& memory) {
            Options mine = options;
            mine.supervised = &memory;
            if (memory.supervisor == 0) mine.manager = &manager;  // there was no memory for a supervisor
            std::vector<xsched::server::Listener> lent;
            for (const auto& listener : listeners) lent.push_back(listener.lend());
            return run_server(mine, std::move(lent), [&] {
                if (memory.supervisor == 0) return report_listening(options, manager);
                leave_starter(options);
                memory.begun.store(1);
                xsched::server::keep_last_words(memory.last_words, sizeof(memory.last_words));
            });
        };
        const auto begun = [&] { report_listening(options, manager); };
        const int status = xsched::server::supervise(serve_once, begun, kUsage, manager);
        for (auto& listener : listeners) listener.leave();  // leaves the sockets, if the server could not do it itself
        return status;
    } catch (const xsched::server::AlreadyServed& error) {
        fprintf(stderr, "xserver: %s\n", error.what());
        if (options.idle_exit_ns == 0)
            fprintf(stderr, "xserver: stop that one first ('kill PID'), or choose another --socket\n");
        return options.idle_exit_ns > 0 ? 0 : kUsage;  // a server that was started on demand is not needed if another
                                                       // one serves
    } catch (const std::exception& error) {
        fprintf(stderr, "xserver: %s\n", error.what());
        return kUsage;
    }
}

int start(CommandLine& line) {
    if (line.background) xsched::server::go_into_background();
    ignore_signals_of_limits();
    xsched::server::block_ending_signals();
    if (!settle_in_background(line)) return kUsage;
    if (!line.options.log_file.empty()) setenv("XLOG_FILE", line.options.log_file.c_str(), 1);
    if (!complete(line)) return kUsage;
    raise_soft_limits();
    return serve(line);
}

}  // namespace

int main(int argc, char** argv) {
    xsched::base::hold_standard_fds();
    umask(022);  // created files have exactly the permissions that the server asks for
    try {
        CLI::App app{"Schedules the accelerator work of several programs by priority.", "xserver"};
        CommandLine line;
        describe(app, line);
        return xsched::console::run(
            app, argc, argv, "xserver", [&] { return start(line); },
            [](const std::string& problem) {
                fprintf(stderr, "xserver: %s\n", problem.c_str());
                return kUsage;
            });
    } catch (const std::exception& error) {
        fprintf(stderr, "xserver: %s\n", error.what());
        return kUsage;
    }
}
