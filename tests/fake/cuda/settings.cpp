#include "fake/cuda/settings.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>
#include <vector>

#include "base/spin.h"
#include "fake/chance.h"
#include "fake/environment.h"

#ifndef FAKE_HARDWARE_QUEUES
#define FAKE_HARDWARE_QUEUES 0
#endif

namespace fake {

std::atomic<bool> g_initialized{false};

namespace {

struct Fault {
    std::string function;
    long nth = 0;  // 0: every call
    CUresult code = CUDA_SUCCESS;
    bool hangs = false;
    bool crashes = false;
};

struct Watch {
    std::mutex mutex;
    std::vector<Fault> faults;
};
Watch& watch() {
    static Watch& it = *new Watch;  // never destroyed: executors outlive main
    return it;
}

std::atomic<Function*> g_functions{nullptr};
std::atomic<long> g_errors{0};

std::vector<Fault> faults_in(const char* variable) {
    std::vector<Fault> faults;
    for (const NamedFault& named : named_faults(variable))
        faults.push_back({named.function, named.nth,
                          static_cast<CUresult>(std::strtol(named.code.c_str(), nullptr, 10)), named.code == "hang",
                          named.code == "crash"});
    return faults;
}

void load_settings() {
    const int64_t queue = number_of("FAKE_CUDA_QUEUE");
    g_settings.queue = queue > 0 && queue < kMostQueued ? static_cast<uint32_t>(queue) : kMostQueued;
    const char* hardware = text_of("FAKE_CUDA_HARDWARE_QUEUES");
    g_settings.hardware_queues =
        *hardware != '\0' ? static_cast<uint32_t>(number_of("FAKE_CUDA_HARDWARE_QUEUES")) : FAKE_HARDWARE_QUEUES;
    g_settings.devices = number_of("FAKE_CUDA_DEVICES") == 1 ? 1 : kMostDevices;
    g_settings.memory_bytes = number_of("FAKE_CUDA_MEMORY");
    g_settings.delay_us = number_of("FAKE_CUDA_DELAY_US");
    g_settings.seed = static_cast<uint64_t>(number_of("FAKE_CUDA_SEED"));
    g_settings.no_memops = flag_of("FAKE_CUDA_NO_MEMOPS");
    g_settings.no_concurrent_managed = flag_of("FAKE_CUDA_NO_CONCURRENT_MANAGED");
    g_settings.no_descriptors = flag_of("FAKE_CUDA_NO_DESCRIPTORS");
    g_settings.noop = flag_of("FAKE_CUDA_NOOP");
    g_settings.copy_lock = flag_of("FAKE_CUDA_COPY_LOCK");
    g_settings.sync_lock = flag_of("FAKE_CUDA_SYNC_LOCK") || flag_of("FAKE_HIP_SYNC_LOCK");
    g_settings.graph_streams = flag_of("FAKE_HIP_GRAPH_STREAMS");
    g_settings.blind_waits = flag_of("FAKE_CUDA_BLIND_WAITS");
    g_settings.lazy_loading = flag_of("FAKE_CUDA_LAZY_LOADING");
    g_settings.break_mode = parse_break(text_of("FAKE_CUDA_BREAK_ORDER"));
    const std::lock_guard lock(watch().mutex);
    watch().faults = faults_in("FAKE_CUDA_FAIL");
    g_settings.faults = !watch().faults.empty();
}

// Initializes the library when it is loaded. In a forked child it counts as not initialized, as the real driver does.
[[gnu::constructor]] void when_loaded() {
    load_settings();
    pthread_atfork(nullptr, nullptr, [] { g_initialized = false; });
}

}  // namespace

Settings g_settings;
thread_local bool t_in_host_function = false;
thread_local bool t_per_thread = false;

uint64_t random_below(uint64_t bound) { return random_below(bound, g_settings.seed); }

bool break_now(Break mode, uint64_t once_in) {
    return g_settings.break_mode.load(std::memory_order_relaxed) == mode && random_below(once_in) == 0;
}

// Tells by the name of the calling thread whether the program or XSched calls. The thread that creates another may
// set its name a moment later, so the name is read again for some calls.
Caller caller() {
    constexpr int kLooks = 64;
    thread_local int looks = 0;
    thread_local Caller known = Caller::kProgram;
    if (looks == kLooks) return known;
    ++looks;
    char name[16] = "";
    prctl(PR_GET_NAME, name, 0, 0, 0);
    if (std::strncmp(name, "xsched-", 7) != 0) return known;
    looks = kLooks;
    return known = std::strcmp(name, "xsched-errands") == 0 ? Caller::kErrands : Caller::kForbidden;
}

void forbid_caller(const char* what) {
    char name[16] = "";
    prctl(PR_GET_NAME, name, 0, 0, 0);
    std::fprintf(stderr, "fake_cuda: misuse: %s was called by %s, a thread of XSched's own\n", what, name);
    std::abort();
}

int64_t clock_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

void pass_moment(int64_t left_ns) {
    constexpr int64_t kSpunNs = 100'000;
    if (left_ns > kSpunNs)
        sched_yield();
    else
        xsched::base::pause_processor();
}

void report_misuse(const char* format, ...) {
    if (g_errors.fetch_add(1) >= 20) return;
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    std::fprintf(stderr, "fake_cuda: misuse: %s\n", line);
}

Function::Function(const char* name) : name_(name) {
    before_ = g_functions.load();
    while (!g_functions.compare_exchange_weak(before_, this)) {
    }
}

CUresult Function::injected() {
    const long nth = faulty_calls_.fetch_add(1) + 1;
    std::unique_lock lock(watch().mutex);
    for (const Fault& fault : watch().faults) {
        if (fault.function != name_ || (fault.nth != 0 && fault.nth != nth)) continue;
        if (fault.crashes) raise(SIGSEGV);
        if (!fault.hangs) return fault.code;
        lock.unlock();
        for (;;) pause();
    }
    return CUDA_SUCCESS;
}

long Function::calls(const char* name) {
    long calls = 0;
    for (Function* it = g_functions.load(); it != nullptr; it = it->before_)
        if (std::strcmp(it->name_, name) == 0) calls += it->calls_.load();
    return calls;
}

void Function::forget_calls() {
    for (Function* it = g_functions.load(); it != nullptr; it = it->before_) {
        it->calls_ = 0;
        it->faulty_calls_ = 0;
    }
}

}  // namespace fake

extern "C" {

long fake_cuda_errors() { return fake::g_errors.load(); }
long fake_cuda_calls(const char* function) { return fake::Function::calls(function); }
void fake_cuda_reload() {
    fake::Function::forget_calls();
    fake::load_settings();
}
}
