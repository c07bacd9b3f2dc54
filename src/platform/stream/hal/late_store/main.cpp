// Stores a number to the first word of a shared page a moment after it was started: the other process of a gate's trial
// (platform/stream/hal/gate_trial.h). The page is that of descriptor 3. `late_store NUMBER`.
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kPage = 3;
constexpr const char kName[] = "/memfd:xsched-trial";  // what else a program has open is left alone
constexpr timespec kLate{0, 1'000'000};

bool is_trial_page() {
    char name[64] = "";
    return readlink("/proc/self/fd/3", name, sizeof name - 1) > 0 && strncmp(name, kName, sizeof kName - 1) == 0;
}

}  // namespace

int main(int count, char** words) {
    if (count != 2 || !is_trial_page()) return 1;
    void* page = mmap(nullptr, sizeof(uint32_t), PROT_READ | PROT_WRITE, MAP_SHARED, kPage, 0);
    if (page == MAP_FAILED) return 1;
    nanosleep(&kLate, nullptr);
    const auto number = static_cast<uint32_t>(strtoul(words[1], nullptr, 10));
    __atomic_store_n(static_cast<uint32_t*>(page), number, __ATOMIC_SEQ_CST);
    return 0;
}
