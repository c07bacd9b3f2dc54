// Ready -> suspend directive visible in the victim's memory, through a real xserver: an urgent client becomes ready and
// rings, then looks at the `suspended` of the other client's slot until it changes. One process is both clients, so
// that nobody but the server must be given a processor. Prints one JSON object with a list of runs, in microseconds:
//   awake: toggled every 300 us
//   asleep: toggled every 20 ms, so that the server and its processor have long been asleep
//   spinning: as awake, with a server that looks for news without end instead of sleeping (--spin-us)
// Targets: p99 <= 30 us awake, <= 100 us from sleep. The machine should be otherwise idle: `load` tells.
// Usage: directive_latency [--samples N] [--server PATH]
#include <algorithm>
#include <atomic>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "ipc/protocol.h"
#include "ipc/region.h"
#include "xsched/types.h"

namespace {

using namespace xsched;

constexpr int64_t kPatienceNs = 5 * base::kSecond;

[[noreturn]] void fail(const char* what) {
    fprintf(stderr, "directive_latency: %s\n", what);
    exit(1);
}

ipc::Region* join(const std::string& socket, base::UniqueFd& lifeline, int32_t priority) {
    const int64_t give_up = base::now_ns() + kPatienceNs;
    while (!lifeline && base::now_ns() < give_up) {
        lifeline.reset(ipc::connect_path(socket.c_str()));
        if (!lifeline) usleep(2000);
    }
    ipc::Welcome welcome{};
    int fd = -1;
    if (!lifeline || !ipc::shake_hands(lifeline.get(), ipc::PeerKind::kClient, "bench", &welcome, &fd, 5000))
        fail("xserver does not answer");
    const base::UniqueFd memory(fd);
    ipc::Region* region = ipc::map_region(fd, welcome.region_bytes);
    if (region == nullptr) fail("no shared memory");
    ipc::QueueSlot& slot = region->slots[0];
    slot.handle = 1;
    slot.device = uint64_t{kDeviceTypeCPU} << 32 | 1;
    slot.levels = 1U << kPreemptLevelBlock;
    slot.level = kPreemptLevelBlock;
    slot.priority = priority;
    slot.utilization = UTILIZATION_MAX;
    slot.timeslice_us = TIMESLICE_DEFAULT;
    slot.command_ns = 1;  // so short that the server keeps no grace
    slot.state = static_cast<uint32_t>(ipc::SlotState::kUsed);
    region->header.slot_end = 1;
    ring_doorbell(region->header);
    return region;
}

void submit(ipc::Region& region) {
    region.slots[0].ready_since_ns = base::now_ns();
    region.slots[0].launched.fetch_add(1);
    region.slots[0].submitted.fetch_add(1);
    ring_doorbell(region.header);
}

void complete(ipc::Region& region) {
    region.slots[0].idle_since_ns = base::now_ns();
    region.slots[0].completed.fetch_add(1);
    ring_doorbell(region.header);
}

// Returns when it changed; the time between two looks is the accuracy, about 20 ns.
int64_t wait_for(const ipc::Region& victim, uint32_t suspended) {
    const int64_t give_up = base::now_ns() + kPatienceNs;
    int64_t now = base::now_ns();
    while (victim.slots[0].suspended.load() != suspended) {
        now = base::now_ns();
        if (now > give_up) fail(suspended != 0 ? "the victim was not suspended" : "the victim was not resumed");
    }
    return now;
}

pid_t start_server(const std::string& path, const std::string& socket, int64_t spin_us) {
    const pid_t child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setenv("XLOG_LEVEL", "WARN", 1);
    const std::string spin = std::to_string(spin_us);
    if (freopen("/dev/null", "w", stdout) == nullptr) _exit(1);
    if (spin_us >= 0)
        execl(path.c_str(), path.c_str(), "--socket", socket.c_str(), "--spin-us", spin.c_str(), nullptr);
    else
        execl(path.c_str(), path.c_str(), "--socket", socket.c_str(), nullptr);
    _exit(127);
}

void end(pid_t child, int signal_number) {
    kill(child, signal_number);
    waitpid(child, nullptr, 0);
}

double percentile(const std::vector<int64_t>& sorted, double share) {
    const auto at = static_cast<size_t>(std::lround(share * static_cast<double>(sorted.size() - 1)));
    return static_cast<double>(sorted[at]) / base::kMicrosecond;
}

struct Run {
    const char* name;
    int64_t period_us;
    int64_t spin_us;   // -1: the server's default
    double target_us;  // 0: none, for comparison only
};

void measure(const Run& run, const std::string& server, int samples, bool last) {
    char directory[] = "/tmp/xsched-bench-XXXXXX";
    if (mkdtemp(directory) == nullptr) fail("no temporary directory");
    const std::string socket = std::string(directory) + "/s";
    const pid_t server_pid = start_server(server, socket, run.spin_us);
    base::UniqueFd victims_lifeline;
    ipc::Region* victim = join(socket, victims_lifeline, 0);
    submit(*victim);
    base::UniqueFd lifeline;
    ipc::Region* urgent = join(socket, lifeline, 10);
    std::vector<int64_t> suspend;
    int asleep = 0;
    for (int i = 0; i < samples; ++i) {
        wait_for(*victim, 0);
        usleep(static_cast<useconds_t>(run.period_us));
        asleep += urgent->header.server_asleep.load() != 0 ? 1 : 0;
        const int64_t start = base::now_ns();
        submit(*urgent);
        suspend.push_back(wait_for(*victim, 1) - start);
        complete(*urgent);
    }
    end(server_pid, SIGTERM);
    unlink((socket + ".lock").c_str());
    rmdir(directory);
    ipc::unmap_region(victim);
    ipc::unmap_region(urgent);
    std::sort(suspend.begin(), suspend.end());
    const double p99 = percentile(suspend, 0.99);
    char verdict[64] = "\"target_p99_us\": null";
    if (run.target_us > 0)
        snprintf(verdict, sizeof(verdict), "\"target_p99_us\": %.0f, \"met\": %s", run.target_us,
                 p99 <= run.target_us ? "true" : "false");
    printf(
        "    {\"run\": \"%s\", \"period_us\": %ld, \"samples\": %d, \"server_asleep_share\": %.3f, \"p50_us\": %.1f, "
        "\"p90_us\": %.1f, \"p99_us\": %.1f, \"max_us\": %.1f, %s}%s\n",
        run.name, static_cast<long>(run.period_us), samples, static_cast<double>(asleep) / samples,
        percentile(suspend, 0.5), percentile(suspend, 0.9), p99, percentile(suspend, 1.0), verdict, last ? "" : ",");
    fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    char self[PATH_MAX] = {};
    if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0) fail("/proc is not there");
    std::string server = std::string(self, static_cast<size_t>(strrchr(self, '/') - self)) + "/xserver";
    int samples = 1000;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--samples") == 0) samples = atoi(argv[i + 1]);
        if (strcmp(argv[i], "--server") == 0) server = argv[i + 1];
    }
    if (samples < 1) fail("--samples must be at least 1");
    prctl(PR_SET_TIMERSLACK, 1UL);
    // What is measured is the server, not whether this program loses its processor to others.
    setpriority(PRIO_PROCESS, 0, -5);
    double load = 0;
    if (getloadavg(&load, 1) != 1) load = -1;
    printf("{\"test\": \"directive_latency\", \"load\": %.2f, \"processors\": %ld, \"runs\": [\n", load,
           sysconf(_SC_NPROCESSORS_ONLN));
    fflush(stdout);
    measure({"awake", 300, -1, 30}, server, samples, false);
    measure({"asleep", 20'000, -1, 100}, server, std::min(samples, 500), false);
    measure({"spinning", 300, 2000, 0}, server, samples, true);
    printf("]}\n");
    return 0;
}
