// Host time that XSched adds to one kernel launch, without a GPU: launches on the tests' fake driver, where each is
// complete at once, from a child process with the shim preloaded and from one without, in turns. Prints one JSON
// object, nanoseconds per launch, medians over the rounds; exit status 1 if a launch costs more than the target, 2 if
// nothing could be measured. Nobody competes; the scheduler is the environment's (XSCHED_SCHEDULER).
//   null, own   on the NULL stream, on a stream of the program's own
// Usage: cuda_host_cost [--rounds N] [--shim LIBRARY] [--driver LIBRARY]
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int kLaunches = 200'000;
constexpr int kRepeats = 5;  // of a child; the best counts
constexpr double kTargetNs = 150;

using Launch = int (*)(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       void* stream, void** parameters, void** extra);

struct Costs {
    double null = 0, own = 0;
};

template <typename... Arguments>
void call(void* library, const char* name, Arguments... arguments) {
    const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
    const int code = function != nullptr ? function(arguments...) : -1;
    if (code == 0) return;
    fprintf(stderr, "cuda_host_cost: %s returned %d\n", name, code);
    exit(2);
}

double cost_of(Launch launch, void* kernel, void* stream) {
    double best = 1e9;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < kLaunches; ++i) launch(kernel, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr);
        const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
        best = std::min(best, took.count() / kLaunches);
    }
    return best;
}

// The child: an ordinary CUDA program.
int measure(const char* driver) {
    void* library = dlopen(driver, RTLD_NOW);
    if (library == nullptr) {
        fprintf(stderr, "cuda_host_cost: %s\n", dlerror());
        return 2;
    }
    void *context = nullptr, *module = nullptr, *kernel = nullptr, *stream = nullptr;
    call(library, "cuInit", 0u);
    call(library, "cuDevicePrimaryCtxRetain", &context, 0);
    call(library, "cuCtxSetCurrent", context);
    call(library, "cuModuleLoadData", &module, static_cast<const void*>(".version 7.0"));
    call(library, "cuModuleGetFunction", &kernel, module, "noop");
    call(library, "cuStreamCreate", &stream, 1u);
    const auto launch = reinterpret_cast<Launch>(dlsym(library, "cuLaunchKernel"));
    const Costs costs{cost_of(launch, kernel, nullptr), cost_of(launch, kernel, stream)};
    printf("%f %f\n", costs.null, costs.own);
    return 0;
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
    const bool read = out != nullptr && fscanf(out, "%lf %lf", &costs->null, &costs->own) == 2;
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
    std::vector<double> native_null, native_own, shim_null, shim_own;
    for (int round = 0; round < rounds; ++round) {
        Costs native, with_shim;
        if (!run_child(driver, "", &native) || !run_child(driver, shim, &with_shim)) {
            fprintf(stderr, "cuda_host_cost: a child failed; are %s and %s there?\n", driver.c_str(), shim.c_str());
            return 2;
        }
        native_null.push_back(native.null);
        native_own.push_back(native.own);
        shim_null.push_back(with_shim.null);
        shim_own.push_back(with_shim.own);
    }
    const double added_null = median(shim_null) - median(native_null),
                 added_own = median(shim_own) - median(native_own);
    printf(
        "{\"native_null_ns\": %.1f, \"native_own_ns\": %.1f, \"xsched_null_ns\": %.1f, \"xsched_own_ns\": %.1f, "
        "\"added_null_ns\": %.1f, \"added_own_ns\": %.1f, \"target_ns\": %.0f, \"rounds\": %d}\n",
        median(native_null), median(native_own), median(shim_null), median(shim_own), added_null, added_own, kTargetNs,
        rounds);
    return std::max(added_null, added_own) <= kTargetNs ? 0 : 1;
}
