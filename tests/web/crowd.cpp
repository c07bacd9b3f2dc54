// Programs for the page to show: web_crowd SOCKET PROGRAMS QUEUES. Each is a process with so many queues of one device
// that have brief bursts of work that no device does: a command is complete when its time is over and it was not
// suspended. They end with the program that started them.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/unique_fd.h"
#include "console/end_with.h"
#include "ipc/protocol.h"
#include "ipc/region.h"
#include "support/slots.h"

namespace {

namespace base = xsched::base;
namespace ipc = xsched::ipc;

constexpr int64_t kStepNs = base::kMillisecond;
constexpr int kPatienceMs = 10'000;
constexpr unsigned kMostQueues = 200;

struct Work {
    int64_t left_ns = 0;  // of its burst
    int64_t next_ns = 0;  // its next one begins then
};

void step(ipc::Region& region, unsigned at, Work& work, unsigned program, int64_t now_ns) {
    ipc::QueueSlot& slot = region.slots[at];
    if (work.left_ns > 0) {
        if (slot.suspended.load() != 0) return;
        work.left_ns -= kStepNs;
        slot.busy_ns.fetch_add(kStepNs);
        if (work.left_ns > 0) return;
        slot.idle_since_ns = now_ns;
        slot.completed = slot.submitted.load();
        work.next_ns = now_ns + (5 + (at * 7 + program * 13) % 40) * base::kMillisecond;
    } else if (now_ns >= work.next_ns) {
        work.left_ns = (2 + (at * 3 + program * 5) % 15) * base::kMillisecond;
        slot.ready_since_ns = now_ns;
        slot.submitted.fetch_add(1);
        slot.launched.fetch_add(1);
    } else {
        return;
    }
    ipc::ring_doorbell(region.header);
}

// Fills in the memory of a program: one GiB more than its number. Some memory of program 3 is on the host.
void have_memory(ipc::DeviceMemory& memory, unsigned program) {
    constexpr uint64_t kGiB = uint64_t{1} << 30;
    memory.fixed = (program + 1) * kGiB;
    if (program == 3) {
        memory.on_host = 12 * kGiB;
        memory.limit = 20 * kGiB;
        memory.guarantee = 4 * kGiB;
        memory.swaps = 7;
        memory.waited_ns = 1500 * base::kMillisecond;
    }
    memory.device = uint64_t{kDeviceTypeGPU} << 32 | 0x1f;
}

int run_program(const char* socket, unsigned program, unsigned queues) {
    const base::UniqueFd connection(ipc::connect_path(socket));
    ipc::Welcome welcome{};
    int fd = -1;
    const std::string name = "program" + std::to_string(program);
    if (!connection ||
        !ipc::shake_hands(connection.get(), ipc::PeerKind::kClient, name.c_str(), &welcome, &fd, kPatienceMs))
        return 1;
    ipc::Region* region = ipc::map_region(fd, welcome.region_bytes);
    if (region == nullptr || !ipc::say_mapped(connection.get(), welcome)) return 1;
    for (unsigned at = 0; at < queues; ++at)
        xsched::test::make_slot(*region, at, 0x100 + at, uint64_t{kDeviceTypeGPU} << 32 | 0x1f,
                                static_cast<int32_t>(program % 5), base::kMillisecond);
    have_memory(region->header.memory[0], program);
    ipc::ring_doorbell(region->header);
    std::vector<Work> works(queues);
    for (;;) {
        base::sleep_ns(kStepNs);
        const int64_t now_ns = base::now_ns();
        for (unsigned at = 0; at < queues; ++at) step(*region, at, works[at], program, now_ns);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: web_crowd SOCKET PROGRAMS QUEUES\n");
        return 2;
    }
    const unsigned programs = static_cast<unsigned>(atoi(argv[2]));
    const unsigned queues = std::min(static_cast<unsigned>(atoi(argv[3])), kMostQueues);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    const pid_t parent = getpid();
    for (unsigned i = 0; i < programs; ++i) {
        if (fork() != 0) continue;
        xsched::console::end_with(parent, SIGTERM);
        return run_program(argv[1], i, queues);
    }
    printf("web_crowd: %u programs\n", programs);
    fflush(stdout);
    int status = 0;
    while (wait(&status) > 0) {
    }
    return 0;
}
