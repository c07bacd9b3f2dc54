#include "cli/pool/server_log.h"

#include <cstdlib>
#include <ctime>
#include <sstream>

namespace xsched::cli {
namespace {

// As driver 580 writes it (bench/results/h200/pool_faults.json).
constexpr const char* kHandles = "Server is handling a fatal GPU error.";
constexpr const char* kListBegins = "The following client process have a sticky error set:";

// "[2026-11-30 12:47:32.942 Server   637] Startup"
struct Line {
    int64_t at_ms = 0;
    pid_t server = 0;
    std::string text;
};

// Returns a line's parts; the server's pid is 0 if it is no such line.
Line parts_of(const std::string& line) {
    Line parts;
    const size_t end = line.find("] ");
    tm time{};
    const char* rest = end != std::string::npos ? strptime(line.c_str(), "[%Y-%m-%d %H:%M:%S", &time) : nullptr;
    if (rest == nullptr || *rest != '.') return parts;
    time.tm_isdst = -1;
    parts.at_ms = int64_t{mktime(&time)} * 1000 + strtol(rest + 1, nullptr, 10);
    parts.server = static_cast<pid_t>(strtol(line.c_str() + line.rfind(' ', end - 1), nullptr, 10));
    parts.text = line.substr(end + 2);
    return parts;
}

}  // namespace

std::optional<LoggedFault> last_fault(const std::string& log, pid_t server) {
    std::optional<LoggedFault> fault;
    std::istringstream lines(log);
    bool lists = false;
    for (std::string line; std::getline(lines, line);) {
        const Line parts = parts_of(line);
        if (parts.server != server) continue;
        const int pid = atoi(parts.text.c_str());
        if (parts.text == kHandles)
            fault = LoggedFault{.at_ms = parts.at_ms, .programs = {}};
        else if (lists && fault && pid > 0)
            fault->programs.push_back(pid);
        lists = parts.text == kListBegins || (lists && pid > 0);
    }
    return fault;
}

}  // namespace xsched::cli
