// Programs that are short of something, or take it away: descriptors, stacks, rights, signals' handlers.
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csetjmp>
#include <csignal>
#include <filesystem>
#include <thread>
#include <vector>

#include "device.h"
#include "support/users.h"

namespace {

using namespace cases;

constexpr int kCommands = 50;
constexpr int kPairs = 20;  // sockets of the program's own, at the numbers that its libraries had
constexpr int kRounds = 2;
constexpr useconds_t kPauseUs = 2000;
constexpr int kThreads = 4;
constexpr int kFaults = 100;

void work(const Device& device) {
    for (int i = 0; i < kCommands; ++i) {
        device.spin(kShort);
        device.finish();
        usleep(kPauseUs);
    }
}

// Returns whether other code has read, written or closed one of the program's sockets.
bool touched(int own) {
    char byte = 0;
    return recv(own, &byte, 1, MSG_DONTWAIT) >= 0 || errno != EAGAIN;
}

// A daemon closes all descriptors that it did not open, and opens its own.
int closed() {
    Device device;
    device.open();
    work(device);
    for (int round = 0; round < kRounds; ++round) {
        std::array<std::array<int, 2>, kPairs> pairs{};
        syscall(SYS_close_range, 3U, ~0U, 0U);
        for (auto& pair : pairs)
            if (socketpair(AF_UNIX, round == 0 ? SOCK_STREAM : SOCK_SEQPACKET, 0, pair.data()) != 0) return 8;
        work(device);
        if (round + 1 == kRounds) wait_to_be_seen();  // it is scheduled again while its own are open
        int odd = 0;
        for (const auto& pair : pairs) odd += static_cast<int>(touched(pair[0])) + static_cast<int>(touched(pair[1]));
        say(std::to_string(odd) + " descriptors of the program's own are not as it left them");
        for (const auto& pair : pairs)
            if (close(pair[0]) != 0 || close(pair[1]) != 0) say("another one closed a descriptor of the program's own");
    }
    say(device.result());
    return 0;
}

// Runs `part` in a thread with the smallest stack that POSIX allows.
void on_small_stack(void* (*part)(void*), void* argument) {
    pthread_attr_t attributes;
    pthread_t thread{};
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 16 * 1024);
    if (pthread_create(&thread, &attributes, part, argument) != 0) std::exit(8);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
}

int stacks() {
    static Device device;
    device.open();
    const auto part = [](void*) -> void* {
        for (int i = 0; i < kCommands; ++i) device.spin(kShort);
        device.finish();
        return nullptr;
    };
    on_small_stack(part, nullptr);  // the queue's first use
    on_small_stack(part, nullptr);
    say(device.result());
    return 0;
}

// Several threads make their first call at once.
int threads() {
    std::vector<std::string> results(kThreads);
    std::vector<std::thread> all;
    for (std::string& result : results)
        all.emplace_back([&result] {
            Device device;
            device.open();
            for (int i = 0; i < kCommands; ++i) device.spin(kShort);
            device.finish();
            result = device.result();
        });
    for (std::thread& one : all) one.join();
    for (const std::string& result : results) say(result);
    return 0;
}

sigjmp_buf g_before;
int* volatile g_nowhere = nullptr;

bool catches_a_fault() {
    if (sigsetjmp(g_before, 1) != 0) return true;
    *g_nowhere = 1;
    return false;
}

// A language runtime turns accesses to null pointers into exceptions by its own SIGSEGV handler. Faults come while
// its device works, and the handler must stay in force.
int faults() {
    Device device;
    device.open();
    struct sigaction own{};
    own.sa_handler = [](int) { siglongjmp(g_before, 1); };
    sigaction(SIGSEGV, &own, nullptr);
    int caught = 0;
    for (int i = 0; i < kFaults; ++i) {
        device.spin(kShort);
        caught += static_cast<int>(catches_a_fault());
    }
    struct sigaction now{};
    sigaction(SIGSEGV, nullptr, &now);
    say(std::to_string(caught) + " faults, the handler is " + (now.sa_handler == own.sa_handler ? "" : "not ") +
        "the program's, " + device.result());
    return 0;
}

// Ways in which a program gives up rights or resources while one queue is in use; afterwards it makes another queue
// and uses both. Each function returns whether it could do so.
bool become_nobody() { return xsched::test::become(xsched::test::kNobody); }

bool use_up_files() {
    const rlimit few{64, 64};
    if (setrlimit(RLIMIT_NOFILE, &few) != 0) return false;
    while (open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0) {
    }
    return true;
}

bool enter_empty_root() {
    const std::filesystem::path empty = std::filesystem::temp_directory_path() / std::to_string(getpid());
    std::filesystem::create_directory(empty);
    const bool in = chroot(empty.c_str()) == 0 && chdir("/") == 0;
    if (!in) std::filesystem::remove(empty);
    return in;
}

template <bool (*GiveUp)()>
int without_rights() {
    Device device;
    device.open();
    work(device);
    if (!GiveUp()) {
        say("this user cannot give that up");
        return 77;
    }
    cl_command_queue second = device.make_queue();
    for (int i = 0; i < kCommands; ++i) {
        Device::spin(second, device.kernel, kShort);
        demand(clFinish(second), "clFinish");
        device.spin(kShort);
        device.finish();
    }
    say(device.result());
    wait_to_be_seen();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    constexpr Case kCases[] = {{"closed", closed},
                               {"stacks", stacks},
                               {"threads", threads},
                               {"faults", faults},
                               {"user", without_rights<become_nobody>},
                               {"files", without_rights<use_up_files>},
                               {"root", without_rights<enter_empty_root>}};
    return run_case(kCases, argc, argv);
}
