#include "host/process_checkpoint.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>

namespace xsched::host {
namespace {

// cuda.h's, since CUDA 12.8.
enum State : int { kRunning = 0, kLocked = 1, kCheckpointed = 2 };
struct LockArguments {
    unsigned timeout_ms;
    unsigned reserved0;
    uint64_t reserved1[7];
};
// How long the process's work may take to end (judgement).
constexpr unsigned kLongestWorkMs = 30'000;

struct Driver {
    int (*init)(unsigned flags) = nullptr;
    int (*get_state)(int pid, int* state) = nullptr;
    int (*lock)(int pid, LockArguments* arguments) = nullptr;
    int (*checkpoint)(int pid, void* arguments) = nullptr;
    int (*restore)(int pid, void* arguments) = nullptr;
    int (*unlock)(int pid, void* arguments) = nullptr;

    bool complete() const {
        return init != nullptr && get_state != nullptr && lock != nullptr && checkpoint != nullptr &&
               restore != nullptr && unlock != nullptr;
    }
};

template <typename Function>
void find(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
}

// Loads the driver. Returns why it cannot be used; empty: it can.
std::string load(Driver& driver) {
    const char* chosen = std::getenv("XSCHED_CUDA_LIB");
    const char* const name = chosen != nullptr && *chosen != '\0' ? chosen : "libcuda.so.1";
    void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return std::string("the CUDA driver (") + name + ") cannot be loaded here";
    find(library, "cuInit", driver.init);
    find(library, "cuCheckpointProcessGetState", driver.get_state);
    find(library, "cuCheckpointProcessLock", driver.lock);
    find(library, "cuCheckpointProcessCheckpoint", driver.checkpoint);
    find(library, "cuCheckpointProcessRestore", driver.restore);
    find(library, "cuCheckpointProcessUnlock", driver.unlock);
    if (!driver.complete()) return "this CUDA driver is too old: its checkpoint of processes needs driver 570";
    const int code = driver.init(0);
    return code == 0 ? "" : "the CUDA driver does not start here (error " + std::to_string(code) + ")";
}

std::string failure(const char* call, int code) {
    return std::string("the CUDA driver refuses (") + call + ": error " + std::to_string(code) + ")";
}

}  // namespace

std::string checkpoint_process(pid_t pid) {
    Driver driver;
    if (std::string why = load(driver); !why.empty()) return why;
    LockArguments arguments{};
    arguments.timeout_ms = kLongestWorkMs;
    if (const int code = driver.lock(pid, &arguments); code != 0) return failure("cuCheckpointProcessLock", code);
    const int code = driver.checkpoint(pid, nullptr);
    if (code == 0) return "";
    driver.unlock(pid, nullptr);
    return failure("cuCheckpointProcessCheckpoint", code);
}

std::string restore_process(pid_t pid) {
    Driver driver;
    if (std::string why = load(driver); !why.empty()) return why;
    int state = kRunning;
    if (const int code = driver.get_state(pid, &state); code != 0) return failure("cuCheckpointProcessGetState", code);
    if (state == kCheckpointed)
        if (const int code = driver.restore(pid, nullptr); code != 0)
            return failure("cuCheckpointProcessRestore", code);
    if (state == kCheckpointed || state == kLocked)
        if (const int code = driver.unlock(pid, nullptr); code != 0) return failure("cuCheckpointProcessUnlock", code);
    return "";
}

}  // namespace xsched::host
