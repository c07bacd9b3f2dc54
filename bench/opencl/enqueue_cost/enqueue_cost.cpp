// The time that the shim adds to clEnqueueNDRangeKernel on the host: nanoseconds per call on a device that does nothing
// (the tests' fake platform with FAKE_CL_NOOP). Measured natively, and with the shim under each scheduler that needs no
// server. They run in turns in processes of their own; medians are compared. Prints one JSON object; exit status 0 if
// the target is met, 1 if not, 2 if it cannot run.
//
//   app    the program decides for itself: the bare path of an open queue
//   local  the scheduler is told of every change between idle and ready; on a device that does nothing each call is two
//
//   opencl_enqueue_cost [--rounds N] [--library DIR]
//
// DIR holds libshimopencl.so and libfakeopencl.so; default: lib beside the program's folder.
#include <getopt.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>

namespace {

constexpr double kTargetNs = 300;
constexpr int kCalls = 20'000;  // in a batch
constexpr int kBatches = 15;  // of which the median counts
constexpr int kLeastRounds = 9;

struct Costs {
    double plain = 0;  // no event asked for
    double with_event = 0;  // event asked for, and released
};

int64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

template <typename Call>
double ns_per_call(Call call) {
    std::vector<double> batches;
    for (int batch = 0; batch < kBatches + 1; ++batch) {
        const int64_t begin = now_ns();
        for (int i = 0; i < kCalls; ++i) call();
        if (batch > 0) batches.push_back(static_cast<double>(now_ns() - begin) / kCalls);  // the first one warms up
    }
    return median(batches);
}

void must(cl_int code, const char* what) {
    if (code == CL_SUCCESS) return;
    std::fprintf(stderr, "opencl_enqueue_cost: %s returned %d\n", what, code);
    std::_Exit(2);
}

// In a child process: prints its two numbers.
int measure() {
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    cl_int code = CL_SUCCESS;
    must(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    must(code, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, nullptr, &code);
    must(code, "clCreateCommandQueueWithProperties");
    cl_program program = clCreateProgramWithBuiltInKernels(context, 1, &device, "noop", &code);
    must(code, "clCreateProgramWithBuiltInKernels");
    cl_kernel kernel = clCreateKernel(program, "noop", &code);
    must(code, "clCreateKernel");
    const size_t items = 1;
    const double plain = ns_per_call([&] {
        must(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr), "enqueue");
    });
    must(clFinish(queue), "clFinish");
    const double with_event = ns_per_call([&] {
        cl_event event = nullptr;
        must(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, &event), "enqueue");
        must(clReleaseEvent(event), "clReleaseEvent");
    });
    must(clFinish(queue), "clFinish");
    std::printf("%.3f %.3f\n", plain, with_event);
    return 0;
}

struct Options {
    int rounds = 11;
    std::string library;
};

// nullptr: without the shim.
[[noreturn]] void become_measurement(const Options& options, const char* scheduler, int out) {
    dup2(out, STDOUT_FILENO);
    setenv("OCL_ICD_VENDORS", (options.library + "/libfakeopencl.so").c_str(), 1);
    setenv("FAKE_CL_NOOP", "1", 1);
    setenv("XLOG_LEVEL", "WARN", 1);
    unsetenv("LD_PRELOAD");
    unsetenv("OPENCL_LAYERS");
    if (scheduler != nullptr) {
        setenv("XSCHED_SCHEDULER", scheduler, 1);
        setenv("LD_PRELOAD", (options.library + "/libshimopencl.so").c_str(), 1);
    }
    execl("/proc/self/exe", "opencl_enqueue_cost", "--measure", nullptr);
    _exit(127);
}

bool run_child(const Options& options, const char* scheduler, Costs& costs) {
    int ends[2];
    if (pipe(ends) != 0) return false;
    const pid_t child = fork();
    if (child == 0) become_measurement(options, scheduler, ends[1]);
    close(ends[1]);
    FILE* from = fdopen(ends[0], "r");
    const bool read = from != nullptr && std::fscanf(from, "%lf %lf", &costs.plain, &costs.with_event) == 2;
    if (from != nullptr) std::fclose(from);
    int status = 0;
    return waitpid(child, &status, 0) == child && status == 0 && read;
}

std::string default_library() {
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    const std::string program(path, length > 0 ? static_cast<size_t>(length) : 0);
    const std::string folder = program.substr(0, program.rfind('/'));
    return folder.substr(0, folder.rfind('/')) + "/lib";
}

// The results of one configuration (native, or the shim with one scheduler): a value for each round.
struct Series {
    const char* name;
    const char* scheduler;
    std::vector<double> plain, with_event;
};

double added(const std::vector<double>& with, const std::vector<double>& without) {
    std::vector<double> differences;
    for (size_t i = 0; i < with.size(); ++i) differences.push_back(with[i] - without[i]);
    return median(differences);
}

bool print_result(const Series (&all)[3], int rounds) {
    double worst = 0;
    std::printf("{\n  \"test_id\": \"opencl_enqueue_cost\",\n  \"metrics\": {\n");
    std::printf("    \"native_ns\": %.1f,\n    \"native_with_event_ns\": %.1f,\n", median(all[0].plain),
                median(all[0].with_event));
    for (const Series& it : {all[1], all[2]}) {
        const double plain = added(it.plain, all[0].plain);
        const double with_event = added(it.with_event, all[0].with_event);
        std::printf("    \"%s_added_ns\": %.1f,\n    \"%s_with_event_added_ns\": %.1f,\n", it.name, plain, it.name,
                    with_event);
        worst = std::max({worst, plain, with_event});
    }
    std::printf("    \"target_added_ns\": %.0f,\n    \"rounds\": %d\n  },\n", kTargetNs, rounds);
    std::printf("  \"status\": \"%s\",\n", worst <= kTargetNs ? "passed" : "failed");
    std::printf("  \"notes\": \"medians of %d interleaved runs of %d calls\"\n}\n", rounds, kCalls * kBatches);
    return worst <= kTargetNs;
}

int compare(const Options& options) {
    Series all[3] = {{"native", nullptr, {}, {}}, {"app", "app", {}, {}}, {"local", "local", {}, {}}};
    for (int round = 0; round < options.rounds; ++round) {
        for (Series& it : all) {
            Costs costs;
            if (!run_child(options, it.scheduler, costs)) {
                std::fprintf(stderr,
                             "opencl_enqueue_cost: the measurement \"%s\" failed; libfakeopencl.so and "
                             "libshimopencl.so must be in %s\n",
                             it.name, options.library.c_str());
                return 2;
            }
            it.plain.push_back(costs.plain);
            it.with_event.push_back(costs.with_event);
        }
    }
    return print_result(all, options.rounds) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    static const option kLong[] = {{"measure", no_argument, nullptr, 'm'},
                                   {"rounds", required_argument, nullptr, 'r'},
                                   {"library", required_argument, nullptr, 'l'},
                                   {nullptr, 0, nullptr, 0}};
    Options options;
    options.library = default_library();
    for (int it = 0; (it = getopt_long(argc, argv, "", kLong, nullptr)) != -1;) {
        switch (it) {
            case 'm': return measure();
            case 'r': options.rounds = std::max(std::atoi(optarg), kLeastRounds); break;
            case 'l': options.library = optarg; break;
            default: std::fprintf(stderr, "usage: opencl_enqueue_cost [--rounds N] [--library DIR]\n"); return 2;
        }
    }
    return compare(options);
}
