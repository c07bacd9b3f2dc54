#include "device.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "emulator.h"

namespace kfd {
namespace {

// Longest time for which a process that has just had the GPU waits for others to take their turn: a waiting one may
// have died.
constexpr int64_t kLetPassNs = 2'000'000, kLookNs = 20'000;

struct Gpu {
    pthread_mutex_t mutex;  // robust: a process that dies in its slice leaves the GPU
    std::atomic<uint32_t> waiting, turns;
};
struct Shared {
    bool made;
    Gpu gpus[kMostGpus];
};

void make(Shared& shared) {
    pthread_mutexattr_t how;
    pthread_mutexattr_init(&how);
    pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
    for (Gpu& gpu : shared.gpus) pthread_mutex_init(&gpu.mutex, &how);
    shared.made = true;
}

Shared* open_shared() {
    const char* path = std::getenv("KFD_EMULATOR_DEVICE");
    const bool named = path != nullptr && *path != '\0';
    const int file = named ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (named && (file < 0 || flock(file, LOCK_EX) != 0 || ftruncate(file, sizeof(Shared)) != 0))
        give_up("KFD_EMULATOR_DEVICE=%s cannot be used: %s", path, strerror(errno));
    const int how = named ? MAP_SHARED : MAP_SHARED | MAP_ANONYMOUS;
    void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, how, file, 0);
    if (memory == MAP_FAILED) give_up("no memory for the GPUs");
    auto* shared = static_cast<Shared*>(memory);
    if (!shared->made) make(*shared);
    if (named) {
        flock(file, LOCK_UN);  // the mapping keeps the file open, and the lock with it
        close(file);
    }
    return shared;
}

void let_pass(const Gpu& gpu, uint32_t turn) {
    for (int64_t ns = 0; ns < kLetPassNs && gpu.waiting != 0 && gpu.turns == turn; ns += kLookNs) wait_ns(kLookNs);
}

}  // namespace

void use_gpu(int number, int64_t ns) {
    static Shared* const shared = open_shared();
    Gpu& gpu = shared->gpus[number];
    ++gpu.waiting;
    if (pthread_mutex_lock(&gpu.mutex) == EOWNERDEAD) pthread_mutex_consistent(&gpu.mutex);
    --gpu.waiting;
    const uint32_t turn = ++gpu.turns;
    wait_ns(ns);
    pthread_mutex_unlock(&gpu.mutex);
    let_pass(gpu, turn);
}

}  // namespace kfd
