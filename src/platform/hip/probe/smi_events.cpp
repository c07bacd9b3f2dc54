#include "smi_events.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace xsched::probe {
namespace {

// The kernel driver's call that delivers events, AMDKFD_IOC_SMI_EVENTS, and its event numbers, from Linux's
// include/uapi/linux/kfd_ioctl.h. A process gets its own events without any privilege.
struct kfd_ioctl_smi_events_args {
    uint32_t gpuid;
    uint32_t anon_fd;  // from KFD
};
constexpr unsigned long AMDKFD_IOC_SMI_EVENTS = _IOWR('K', 0x1F, kfd_ioctl_smi_events_args);

struct Event {
    unsigned number;
    const char* words;
};
// Migrations of pages are left out: there are thousands.
constexpr Event kEvents[] = {{1, "memory fault"},  {2, "clocks throttled"}, {3, "GPU about to be reset"},
                             {4, "GPU was reset"}, {9, "queues evicted"},   {10, "queues restored"}};

int open_events(int driver, uint32_t gpu) {
    kfd_ioctl_smi_events_args request{gpu, 0};
    if (ioctl(driver, AMDKFD_IOC_SMI_EVENTS, &request) != 0) return -1;
    uint64_t mask = 0;
    for (const Event& event : kEvents) mask |= uint64_t{1} << (event.number - 1);
    const int events = static_cast<int>(request.anon_fd);
    if (write(events, &mask, sizeof mask) == static_cast<ssize_t>(sizeof mask)) return events;
    close(events);
    return -1;
}

void tell_events(std::vector<pollfd> files) {
    char text[4096];
    while (poll(files.data(), files.size(), -1) >= 0) {
        for (pollfd& file : files) {
            if (file.revents == 0) continue;
            const ssize_t bytes = read(file.fd, text, sizeof text);
            if (bytes <= 0) file.fd = -1;  // poll() leaves it out
            std::string line;
            for (const char c : std::string(text, static_cast<size_t>(std::max<ssize_t>(bytes, 0)))) {
                if (c != '\n') line += c;
                const std::string words = c == '\n' ? event_in_words(line) : "";
                if (!words.empty()) fprintf(stderr, "kfd event: %s\n", words.c_str());
                if (c == '\n') line.clear();
            }
        }
    }
}

}  // namespace

std::vector<uint32_t> gpu_ids(const std::string& folder) {
    std::vector<uint32_t> found;
    std::error_code error;
    for (std::filesystem::directory_iterator node(folder, error), end; !error && node != end; node.increment(error)) {
        std::ifstream file(node->path() / "gpu_id");
        uint32_t id = 0;
        if (file >> id && id != 0) found.push_back(id);  // 0: a processor
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::string event_in_words(const std::string& line) {
    size_t end = 0;
    unsigned long number = 0;
    try {
        number = std::stoul(line, &end, 16);
    } catch (const std::exception&) {
        return "";
    }
    const auto* known = std::find_if(std::begin(kEvents), std::end(kEvents),
                                     [&](const Event& event) { return event.number == number; });
    const std::string words = known != std::end(kEvents) ? known->words : "number " + std::to_string(number);
    return words + ":" + line.substr(end);
}

void watch_smi_events() {
    const std::vector<uint32_t> gpus = gpu_ids("/sys/class/kfd/kfd/topology/nodes");
    const int driver = gpus.empty() ? -1 : open("/dev/kfd", O_RDWR | O_CLOEXEC);
    if (driver < 0) return;
    std::vector<pollfd> files;
    for (const uint32_t gpu : gpus)
        if (const int events = open_events(driver, gpu); events >= 0) files.push_back({events, POLLIN, 0});
    // The driver's file is left open on purpose: the runtime opens it in this process as well.
    if (!files.empty()) std::thread(tell_events, files).detach();
}

}  // namespace xsched::probe
