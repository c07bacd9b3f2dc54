#include "cli/doctor/load.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string>

namespace xsched::cli {
namespace {

int64_t ticks_of(const timeval& time) {
    return (int64_t{time.tv_sec} * 1'000'000 + time.tv_usec) * sysconf(_SC_CLK_TCK) / 1'000'000;
}

int64_t ticks_of_usage(int whose) {
    rusage usage{};
    getrusage(whose, &usage);
    return ticks_of(usage.ru_utime) + ticks_of(usage.ru_stime);
}

// Returns a process's time: utime and stime, fields 14 and 15 of /proc/PID/stat. The name before them may contain
// spaces (proc(5)).
int64_t ticks_of_process(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    if (pid <= 0 || !std::getline(file, line) || line.rfind(')') == std::string::npos) return 0;
    std::istringstream fields(line.substr(line.rfind(')') + 1));
    std::string skipped;
    for (int field = 3; field < 14; ++field) fields >> skipped;
    int64_t user = 0, system = 0;
    fields >> user >> system;
    return user + system;
}

}  // namespace

LoadWatch::LoadWatch(pid_t server) : server_(server), began_(now(server)) {}

// Reads the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal.
LoadWatch::Ticks LoadWatch::now(pid_t server) {
    std::ifstream file("/proc/stat");
    std::string word;
    file >> word;
    std::array<int64_t, 8> ticks{};
    for (int64_t& each : ticks) file >> each;
    return {ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6], ticks[7], ticks[3] + ticks[4],
            ticks_of_usage(RUSAGE_SELF) + ticks_of_usage(RUSAGE_CHILDREN) + ticks_of_process(server)};
}

Load LoadWatch::stop() const {
    const Ticks ended = now(server_);
    const int64_t used = ended.used - began_.used, stolen = ended.stolen - began_.stolen,
                  idle = ended.idle - began_.idle;
    const auto all = static_cast<double>(std::max<int64_t>(used + stolen + idle, 1));
    const int64_t others = std::max<int64_t>(used - (ended.own - began_.own), 0);
    return {static_cast<double>(others) / all, static_cast<double>(stolen) / all, static_cast<double>(idle) / all};
}

}  // namespace xsched::cli
