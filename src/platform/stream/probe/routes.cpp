// Tests whether the shim sees a launch by every route that programs use: makes one launch by each, and counts the
// shim's log lines about it. Needs the shim in the process and XLOG_LEVEL=DEBG.
#include "routes.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <string>

#include "busy_device.h"
#include "calls.h"
#include "trials.h"

namespace xsched::probe {

namespace {

using Launch = int (*)(vendor::Kernel, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       vendor::Stream, void**, void**);

// Redirects standard error, where the shim logs, to a file that can be read again.
class LogFile {
public:
    LogFile() : file_(memfd_create("xsched-probe-log", MFD_CLOEXEC)), before_(dup(STDERR_FILENO)) {
        if (file_ < 0 || before_ < 0) throw std::runtime_error("no file can be had for the shim's log");
        dup2(file_, STDERR_FILENO);
    }
    ~LogFile() {
        dup2(before_, STDERR_FILENO);
        close(file_);
        close(before_);
    }
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;

    // Writes to the original standard error, which xcli reads.
    void doing(const char* route) const { dprintf(before_, "doing: launching a kernel by the route %s\n", route); }
    // Returns how many lines about kernel launches the shim has logged since the last call.
    int launches() {
        std::string text(static_cast<size_t>(lseek(file_, 0, SEEK_END) - read_), '\0');
        const ssize_t bytes = pread(file_, text.data(), text.size(), read_);
        read_ += bytes > 0 ? bytes : 0;
        int count = 0;
        for (size_t at = text.find(vendor::kNames.launch); at != std::string::npos;
             at = text.find(vendor::kNames.launch, at + 1))
            if (text.compare(at + strlen(vendor::kNames.launch), 4, " of ") == 0) ++count;
        return count;
    }

private:
    int file_;
    int before_;
    off_t read_ = 0;
};

std::string file_of(void* function) {
    Dl_info info{};
    return function != nullptr && dladdr(function, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

// Finds which library answers for a name: to a linked program, and to one that asks the runtime's library.
Json places() {
    Json found = Json::object();
    void* runtime = runtime_library();
    for (const char* name : functions_to_find())
        found[name] = {{"linked", file_of(dlsym(RTLD_DEFAULT, name))},
                       {"asked", runtime != nullptr ? file_of(dlsym(runtime, name)) : ""}};
    return found;
}

}  // namespace

Json try_routes(const Settings&) {
    doing("running the first kernel under the shim");
    vendor::use_device();
    vendor::Kernel kernel = vendor::load_busy();
    vendor::Stream stream = vendor::make_stream();
    vendor::Memory memory = vendor::allocate(4096);
    uint32_t steps = 1;
    void* parameters[] = {&memory, &steps};
    Json found = {{"routes", Json::array()}, {"functions", places()}};
    LogFile log;
    for (const Route& route : routes()) {
        log.launches();
        Json one = {{"name", route.name}, {"there", route.function != nullptr}};
        if (route.function != nullptr) {
            log.doing(route.name);
            const auto launch = reinterpret_cast<Launch>(route.function);
            one["code"] = launch(kernel, 1, 1, 1, 64, 1, 1, 0, stream, parameters, nullptr);
            vendor::wait(stream);
            one["seen"] = log.launches();
        }
        found["routes"].push_back(one);
    }
    return found;
}

}  // namespace xsched::probe
