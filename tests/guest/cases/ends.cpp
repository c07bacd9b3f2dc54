// Programs that use their device while they end, or leave it as it is.
#include <pthread.h>
#include <unistd.h>

#include <thread>

#include "device.h"

namespace {

using namespace cases;

constexpr int kStatus = 5;
constexpr int kLeft = 100;  // kernels in flight at the end: some tens of milliseconds
constexpr useconds_t kWhileWorkRunsUs = 50'000;

Device g_device;
bool g_in_handler = false;
bool g_in_destructor = false;

void use(const char* where) {
    g_device.spin(kShort);
    say(std::string(where) + ": " + g_device.result());
    g_device.close();
}

void handler() {
    if (g_in_handler) use("handler");
}

[[gnu::destructor]] void last() {
    if (g_in_destructor) use("destructor");
}

void begin() {
    g_device.open();
    g_device.spin(kShort);
}

// A program that uses its device in an exit handler. It registers the handler before its first driver call, so the
// handler runs after the driver's own.
int early() {
    std::atexit(handler);
    begin();
    g_in_handler = true;
    return kStatus;
}
int late() {
    begin();
    std::atexit(handler);
    g_in_handler = true;
    return kStatus;
}
int destructor() {
    begin();
    g_in_destructor = true;
    return kStatus;
}
// Another thread still enqueues while main returns.
int thread() {
    begin();
    std::thread([] {
        for (;;) {
            g_device.spin(kLong);
            g_device.finish();
        }
    }).detach();
    usleep(kWhileWorkRunsUs);
    return kStatus;
}
// A program that ends without releasing anything, while its work is in flight.
int leak() {
    begin();
    for (int i = 0; i < kLeft; ++i) g_device.spin(kLong);
    demand(clFlush(g_device.queue), "clFlush");
    return kStatus;
}
int quick() {
    begin();
    std::at_quick_exit(handler);
    g_in_handler = true;
    std::quick_exit(kStatus);
}
// The main thread ends; another one ends the process.
int main_thread_ends() {
    begin();
    std::thread([] {
        usleep(kWhileWorkRunsUs);
        use("the other thread");
        _exit(kStatus);
    }).detach();
    pthread_exit(nullptr);
}
int aborts() {
    begin();
    for (int i = 0; i < kLeft; ++i) g_device.spin(kLong);
    std::abort();
}

}  // namespace

int main(int argc, char** argv) {
    constexpr Case kCases[] = {{"early", early}, {"late", late},   {"destructor", destructor}, {"thread", thread},
                               {"leak", leak},   {"quick", quick}, {"main", main_thread_ends}, {"abort", aborts}};
    return run_case(kCases, argc, argv);
}
