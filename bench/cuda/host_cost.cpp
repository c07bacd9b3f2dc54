// Host time that XSched adds to one call, without a GPU: calls on the tests' fake driver, where each is complete at
// once. A child process with the shim preloaded and one without take turns. Prints one JSON object, nanoseconds per
// call, medians over the rounds; exit status 1 if a call costs more than its target, 2 if nothing could be measured.
// No program competes; the scheduler is the environment's (XSCHED_SCHEDULER).
//   null, own       a launch on the NULL stream, on a stream of the program's own
//   switch          a launch on another of four streams than the one before
//   record, wait    an event's record, and a stream's wait for an event, each on one of four streams in turn
//   event_query, event_sync, stream_query, stream_sync   of work that is complete
// Usage: cuda_host_cost [--rounds N] [--shim LIBRARY] [--driver LIBRARY]
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

namespace {

constexpr unsigned kCalls = 100'000;
constexpr int kRepeats = 5;  // of a child; the best counts

using Launch = int (*)(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       void* stream, void** parameters, void** extra);

constexpr double kLaunchNs = 150;  // may be added to a launch, and to a small call
constexpr double kSmallNs = 60;
struct Kind {
    const char* name;
    double target_ns;
};
constexpr Kind kKinds[] = {{"null", kLaunchNs},      {"own", kLaunchNs},         {"switch", kLaunchNs},
                           {"record", kSmallNs},     {"wait", kSmallNs},         {"event_query", kSmallNs},
                           {"event_sync", kSmallNs}, {"stream_query", kSmallNs}, {"stream_sync", kSmallNs}};
constexpr size_t kKindCount = sizeof kKinds / sizeof *kKinds;

struct Costs {
    double ns[kKindCount] = {};
};

template <typename... Arguments>
void call(void* library, const char* name, Arguments... arguments) {
    const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
    const int code = function != nullptr ? function(arguments...) : -1;
    if (code == 0) return;
    fprintf(stderr, "cuda_host_cost: %s returned %d\n", name, code);
    exit(2);
}

// Returns the processor time of this thread: none of the measured calls waits, and other programs may use the
// machine.
double processor_ns() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// `one(i)`: the i-th call.
template <typename Call>
double cost_of(Call one) {
    double best = 1e9;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
        const double began_ns = processor_ns();
        for (unsigned i = 0; i < kCalls; ++i) one(i);
        best = std::min(best, (processor_ns() - began_ns) / kCalls);
    }
    return best;
}

template <typename Function>
Function found(void* library, const char* name) {
    const auto function = reinterpret_cast<Function>(dlsym(library, name));
    if (function != nullptr) return function;
    fprintf(stderr, "cuda_host_cost: there is no %s\n", name);
    exit(2);
}

// The child: an ordinary CUDA program.
int measure(const char* driver) {
    constexpr unsigned kStreams = 4;
    void* library = dlopen(driver, RTLD_NOW);
    if (library == nullptr) {
        fprintf(stderr, "cuda_host_cost: %s\n", dlerror());
        return 2;
    }
    void *context = nullptr, *module = nullptr, *kernel = nullptr;
    void* streams[kStreams] = {};
    void* events[kStreams] = {};
    call(library, "cuInit", 0u);
    call(library, "cuDevicePrimaryCtxRetain", &context, 0);
    call(library, "cuCtxSetCurrent", context);
    call(library, "cuModuleLoadData", &module, static_cast<const void*>(".version 7.0"));
    call(library, "cuModuleGetFunction", &kernel, module, "noop");
    const auto launch = found<Launch>(library, "cuLaunchKernel");
    const auto launch_on = [&](void* stream) { launch(kernel, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr); };
    Costs costs;
    double* next = costs.ns;
    *next++ = cost_of([&](unsigned) { launch_on(nullptr); });
    for (void*& stream : streams) call(library, "cuStreamCreate", &stream, 1u);
    for (void*& event : events) call(library, "cuEventCreate", &event, 2u);
    *next++ = cost_of([&](unsigned) { launch_on(streams[0]); });
    *next++ = cost_of([&](unsigned i) { launch_on(streams[i % kStreams]); });
    const auto record = found<int (*)(void*, void*)>(library, "cuEventRecord");
    *next++ = cost_of([&](unsigned i) { record(events[i % kStreams], streams[i % kStreams]); });
    const auto wait = found<int (*)(void*, void*, unsigned)>(library, "cuStreamWaitEvent");
    *next++ = cost_of([&](unsigned i) { wait(streams[i % kStreams], events[(i + 1) % kStreams], 0); });
    for (const char* name : {"cuEventQuery", "cuEventSynchronize"}) {
        const auto ask = found<int (*)(void*)>(library, name);
        *next++ = cost_of([&](unsigned i) { ask(events[i % kStreams]); });
    }
    for (const char* name : {"cuStreamQuery", "cuStreamSynchronize"}) {
        const auto ask = found<int (*)(void*)>(library, name);
        *next++ = cost_of([&](unsigned i) { ask(streams[i % kStreams]); });
    }
    for (const double ns : costs.ns) printf("%f ", ns);
    return 0;
}

bool read_costs(FILE* from, Costs* costs) {
    for (double& ns : costs->ns)
        if (fscanf(from, "%lf", &ns) != 1) return false;
    return true;
}

// Runs this program as a child; false: it failed.
bool run_child(const std::string& driver, const std::string& shim, Costs* costs) {
    int ends[2];
    if (pipe(ends) != 0) return false;
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        setenv("FAKE_CUDA_NOOP", "1", 1);
        setenv("XSCHED_CUDA_LIB", driver.c_str(), 1);
        if (!shim.empty()) setenv("LD_PRELOAD", shim.c_str(), 1);
        execl("/proc/self/exe", "cuda_host_cost", "--child", shim.empty() ? driver.c_str() : "libcuda.so.1", nullptr);
        _exit(127);
    }
    close(ends[1]);
    FILE* out = fdopen(ends[0], "r");
    const bool read = out != nullptr && read_costs(out, costs);
    if (out != nullptr) fclose(out);
    int status = 0;
    waitpid(child, &status, 0);
    return read && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

std::string library_beside(const char* name) {
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    const std::string own(path, length > 0 ? static_cast<size_t>(length) : 0);
    return own.substr(0, own.rfind("/bin/")) + "/lib/" + name;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3 && strcmp(argv[1], "--child") == 0) return measure(argv[2]);
    int rounds = 9;
    std::string shim = library_beside("libshimcuda.so"), driver = library_beside("libfakecuda.so");
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--rounds") == 0) rounds = std::max(atoi(argv[i + 1]), 1);
        if (strcmp(argv[i], "--shim") == 0) shim = argv[i + 1];
        if (strcmp(argv[i], "--driver") == 0) driver = argv[i + 1];
    }
    std::vector<double> native_ns[kKindCount], shim_ns[kKindCount];
    for (int round = 0; round < rounds; ++round) {
        Costs native, with_shim;
        if (!run_child(driver, "", &native) || !run_child(driver, shim, &with_shim)) {
            fprintf(stderr, "cuda_host_cost: a child failed; are %s and %s there?\n", driver.c_str(), shim.c_str());
            return 2;
        }
        for (size_t kind = 0; kind < kKindCount; ++kind) {
            native_ns[kind].push_back(native.ns[kind]);
            shim_ns[kind].push_back(with_shim.ns[kind]);
        }
    }
    bool within = true;
    printf("{");
    for (size_t kind = 0; kind < kKindCount; ++kind) {
        const char* const name = kKinds[kind].name;
        const double before = median(native_ns[kind]), with = median(shim_ns[kind]);
        within = within && with - before <= kKinds[kind].target_ns;
        printf("\"native_%s_ns\": %.1f, \"xsched_%s_ns\": %.1f, \"added_%s_ns\": %.1f, ", name, before, name, with,
               name, with - before);
    }
    printf("\"target_ns\": %.0f, \"small_target_ns\": %.0f, \"rounds\": %d}\n", kLaunchNs, kSmallNs, rounds);
    return within ? 0 : 1;
}
