// A program as users have them, for tests of the world that it runs in: another C library, a shell's job. It uses a
// device through one interface, which it looks up by name, and throws and catches an exception on the way.
//
//   guest cuda|hip|opencl|none LIBRARY [seconds]
//
// LIBRARY: where no shim is loaded, the driver's own, or a name for the linker. With seconds it works for so long, some
// hundred small commands a second, and counts SIGINT; SIGUSR1 has it print "N interrupts". The last line on standard
// output is "right"; exit status 0. Otherwise 1 and a sentence.
#include <dlfcn.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <string>

namespace {

constexpr size_t kBytes = 4096;
constexpr unsigned char kValue = 0x5a;
constexpr useconds_t kPauseUs = 5000;

volatile sig_atomic_t g_interrupts = 0;
volatile sig_atomic_t g_asked = 0;
void* g_library = nullptr;

void check(int code, const char* call) {
    if (code != 0) throw std::runtime_error(std::string(call) + " returned " + std::to_string(code));
}

template <typename... Arguments>
int call(const char* name, Arguments... arguments) {
    void* found = dlsym(RTLD_DEFAULT, name);
    if (found == nullptr && g_library != nullptr) found = dlsym(g_library, name);
    if (found == nullptr) throw std::runtime_error(std::string("there is no ") + name);
    return reinterpret_cast<int (*)(Arguments...)>(found)(arguments...);
}

template <typename... Arguments>
void do_call(const char* name, Arguments... arguments) {
    check(call(name, arguments...), name);
}

// A buffer on a device, filled and read back in a queue of its own.
struct Device {
    virtual ~Device() = default;
    virtual void round(unsigned char value, unsigned char* into) = 0;
};

class Cuda : public Device {
public:
    Cuda() {
        int device = 0;
        do_call("cuInit", 0U);
        do_call("cuDeviceGet", &device, 0);
        do_call("cuCtxCreate_v2", &context_, 0U, device);
        do_call("cuStreamCreate", &stream_, 1U);
        do_call("cuMemAlloc_v2", &memory_, kBytes);
    }
    void round(unsigned char value, unsigned char* into) override {
        do_call("cuMemsetD8Async", memory_, value, kBytes, stream_);
        do_call("cuMemcpyDtoHAsync_v2", static_cast<void*>(into), memory_, kBytes, stream_);
        do_call("cuStreamSynchronize", stream_);
    }

private:
    void* context_ = nullptr;
    void* stream_ = nullptr;
    uint64_t memory_ = 0;
};

class Hip : public Device {
public:
    Hip() {
        do_call("hipInit", 0U);
        do_call("hipStreamCreate", &stream_);
        do_call("hipMalloc", &memory_, kBytes);
    }
    void round(unsigned char value, unsigned char* into) override {
        constexpr int kToHost = 2;
        do_call("hipMemsetAsync", memory_, static_cast<int>(value), kBytes, stream_);
        do_call("hipMemcpyAsync", static_cast<void*>(into), static_cast<const void*>(memory_), kBytes, kToHost,
                stream_);
        do_call("hipStreamSynchronize", stream_);
    }

private:
    void* stream_ = nullptr;
    void* memory_ = nullptr;
};

class OpenCl : public Device {
public:
    OpenCl() {
        constexpr uint64_t kAnyDevice = 0xffffffff, kReadAndWrite = 1;
        void* platform = nullptr;
        void* device = nullptr;
        void* const none = nullptr;
        int code = 0;
        do_call("clGetPlatformIDs", 1U, &platform, none);
        do_call("clGetDeviceIDs", platform, kAnyDevice, 1U, &device, none);
        context_ = made("clCreateContext", none, 1U, &device, none, none, &code);
        queue_ = made("clCreateCommandQueue", context_, device, uint64_t{0}, &code);
        memory_ = made("clCreateBuffer", context_, kReadAndWrite, kBytes, none, &code);
    }
    void round(unsigned char value, unsigned char* into) override {
        void* const none = nullptr;
        do_call("clEnqueueFillBuffer", queue_, memory_, &value, size_t{1}, size_t{0}, kBytes, 0U, none, none);
        do_call("clEnqueueReadBuffer", queue_, memory_, 0U, size_t{0}, kBytes, into, 0U, none, none);
        do_call("clFinish", queue_);
    }

private:
    template <typename... Arguments>
    void* made(const char* name, Arguments... arguments) {
        void* found = dlsym(RTLD_DEFAULT, name);
        if (found == nullptr && g_library != nullptr) found = dlsym(g_library, name);
        if (found == nullptr) throw std::runtime_error(std::string("there is no ") + name);
        void* object = reinterpret_cast<void* (*)(Arguments...)>(found)(arguments...);
        if (object == nullptr) throw std::runtime_error(std::string(name) + " made nothing");
        return object;
    }
    void* context_ = nullptr;
    void* queue_ = nullptr;
    void* memory_ = nullptr;
};

Device* open_device(const std::string& interface) {
    if (interface == "cuda") return new Cuda;
    if (interface == "hip") return new Hip;
    if (interface == "opencl") return new OpenCl;
    return nullptr;
}

void one_round(Device* device, unsigned char value) {
    unsigned char found[kBytes] = {};
    if (device == nullptr) return;
    device->round(value, found);
    for (const unsigned char byte : found)
        if (byte != value) throw std::runtime_error("a wrong byte was read back");
}

void throw_and_catch() {
    try {
        throw std::out_of_range("thrown");
    } catch (const std::exception& caught) {
        if (std::strcmp(caught.what(), "thrown") != 0) throw;
    }
}

void on_signal(int number, void (*handler)(int)) {
    struct sigaction action{};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaction(number, &action, nullptr);
}

void answer() {
    if (g_asked == 0) return;
    g_asked = 0;
    std::printf("%d interrupts\n", static_cast<int>(g_interrupts));
    std::fflush(stdout);
}

void work(Device* device, double seconds) {
    timespec begin{}, now{};
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        one_round(device, kValue);
        answer();
        if (seconds > 0) usleep(kPauseUs);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (static_cast<double>(now.tv_sec - begin.tv_sec) + static_cast<double>(now.tv_nsec - begin.tv_nsec) / 1e9 <
             seconds);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    try {
        if (argc > 3) {
            on_signal(SIGINT, [](int) { g_interrupts = g_interrupts + 1; });
            on_signal(SIGUSR1, [](int) { g_asked = 1; });
        }
        g_library = dlopen(argv[2], RTLD_NOW);
        Device* device = open_device(argv[1]);
        throw_and_catch();
        std::printf("working\n");
        std::fflush(stdout);
        work(device, argc > 3 ? std::atof(argv[3]) : 0);
        throw_and_catch();
    } catch (const std::exception& failed) {
        std::fprintf(stderr, "guest: %s\n", failed.what());
        return 1;
    }
    std::printf("right\n");
}
