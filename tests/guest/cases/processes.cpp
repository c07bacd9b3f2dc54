// Programs that fork, become another program, and wait for children.
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <vector>

#include "device.h"

namespace {

using namespace cases;

constexpr int kImages = 3;
constexpr int kInFlight = 50;
constexpr int kWorkers = 4;
constexpr char kWork = 'w';
constexpr char kEnd = 'e';

int g_left = kImages;  // of this image's line of descent

// The program executes itself again several times, each time with work in flight.
int exec() {
    Device device;
    device.open();
    for (int i = 0; i < kInFlight; ++i) device.spin(kLong / 10);
    if (g_left == 0) {
        say(device.result());
        wait_to_be_seen();
        return 0;
    }
    demand(clFlush(device.queue), "clFlush");
    const std::string left = std::to_string(g_left - 1);
    execl("/proc/self/exe", "processes", "exec", left.c_str(), nullptr);
    return 127;
}

// A launcher that sets LD_PRELOAD to a library of its own in front of the others there, and executes the program.
int prepends() {
    if (g_left == 0) {
        Device device;
        device.open();
        device.spin(kShort);
        say(device.result());
        wait_to_be_seen();
        return 0;
    }
    const char* before = std::getenv("LD_PRELOAD");
    const std::string all = std::string("libm.so.6") + (before != nullptr ? ":" + std::string(before) : "");
    setenv("LD_PRELOAD", all.c_str(), 1);
    execl("/proc/self/exe", "processes", "prepends", "0", nullptr);
    return 127;
}

int in_child(int (*part)()) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const int status = part();
        std::fflush(stdout);
        _exit(status);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

// Asks PoCL for its platform and no more: a process may fork after that, but not after it has used a device, which
// has threads.
void touch_library() {
    cl_platform_id platform = nullptr;
    std::array<char, 1024> name{};
    demand(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    demand(clGetPlatformInfo(platform, CL_PLATFORM_NAME, name.size(), name.data(), nullptr), "clGetPlatformInfo");
}

// The parent only lists the OpenCL platforms before it forks; the child uses a device.
int touched() {
    touch_library();
    const int status = in_child([] {
        Device device;
        device.open();
        for (int i = 0; i < kInFlight; ++i) device.spin(kShort);
        say("the child: " + device.result());
        return 3;
    });
    say("it ended with " + std::to_string(status));
    return 0;
}

// A worker process that its server has forked before using the device: it computes once for each byte that it
// receives.
struct Worker {
    pid_t pid = 0;
    int ask = -1;
    int answer = -1;
};

[[noreturn]] void work(int asked, int answers) {
    Device device;
    device.open();
    for (char byte = 0; read(asked, &byte, 1) == 1 && byte == kWork;) {
        device.spin(kShort);
        std::string line = device.result();
        line.resize(kItems);
        if (write(answers, line.data(), line.size()) < 0) break;
        device.spin(kLong * 5);  // it is in the midst of work when it is killed
        demand(clFlush(device.queue), "clFlush");
    }
    _exit(0);
}

Worker start_worker() {
    int down[2];
    int up[2];
    if (pipe(down) != 0 || pipe(up) != 0) std::exit(9);
    const pid_t pid = fork();
    if (pid == 0) {
        close(down[1]);
        close(up[0]);
        work(down[0], up[1]);
    }
    close(down[0]);
    close(up[1]);
    return {pid, down[1], up[0]};
}

std::string asked(const Worker& worker) {
    std::string line(kItems, '\0');
    size_t got = 0;
    if (write(worker.ask, &kWork, 1) != 1) return "no answer";
    while (got < line.size()) {
        const ssize_t more = read(worker.answer, &line[got], line.size() - got);
        if (more <= 0) return "no answer";
        got += static_cast<size_t>(more);
    }
    return line.c_str();
}

void end_worker(const Worker& worker, bool hard) {
    if (hard ? kill(worker.pid, SIGKILL) != 0 : write(worker.ask, &kEnd, 1) != 1) say("it is gone already");
    close(worker.ask);
    close(worker.answer);
    int status = 0;
    waitpid(worker.pid, &status, 0);
    say("a worker ended with " + std::to_string(status));
}

int workers() {
    touch_library();
    std::signal(SIGPIPE, SIG_IGN);
    std::vector<Worker> all;
    for (int i = 0; i < kWorkers; ++i) all.push_back(start_worker());
    for (const Worker& one : all) say(asked(one));
    end_worker(all[1], true);
    all[1] = start_worker();
    for (const Worker& one : all) say(asked(one));
    for (const Worker& one : all) end_worker(one, false);
    return 0;
}

volatile sig_atomic_t g_told = 0;

// A runtime that reaps all child processes must find none that it did not start itself: XSched starts none in it.
int children() {
    std::signal(SIGCHLD, [](int) { g_told = g_told + 1; });
    Device device;
    device.open();
    for (int i = 0; i < kInFlight; ++i) {
        device.spin(kShort);
        device.finish();
    }
    wait_to_be_seen();
    int status = 0;
    const pid_t child = waitpid(-1, &status, WNOHANG | __WALL);
    const char* what = child >= 0 ? "a child" : errno == ECHILD ? "no child" : "an error";
    say(std::to_string(g_told) + " signals, " + what + ", " + device.result());
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    constexpr Case kCases[] = {
        {"exec", exec}, {"prepends", prepends}, {"touched", touched}, {"workers", workers}, {"children", children}};
    if (argc > 2) g_left = std::atoi(argv[2]);
    return run_case(kCases, argc, argv);
}
