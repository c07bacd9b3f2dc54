#include "fake/cuda/card.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>

#include "fake/cuda/memory.h"

namespace fake {
namespace {

struct Entry {
    std::atomic<int> pid;
    std::atomic<size_t> bytes;
    std::atomic<int> state;  // CheckpointState
    std::atomic<size_t> away;  // bytes while it is kCheckpointed
};
constexpr int kMostProcesses = 64;
struct Card {
    Entry entries[kMostProcesses];
};

bool is_shared() {
    static const char* const shared = std::getenv("FAKE_CUDA_SHARED");
    return shared != nullptr && *shared != '\0';
}

Card* open_card() {
    static Card own{};
    const char* shared = std::getenv("FAKE_CUDA_SHARED");
    if (!is_shared()) return &own;
    const int file = open((std::string(shared) + ".memory").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    void* memory = MAP_FAILED;
    if (file >= 0 && ftruncate(file, sizeof(Card)) == 0)
        memory = mmap(nullptr, sizeof(Card), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0) close(file);
    return memory != MAP_FAILED ? static_cast<Card*>(memory) : &own;
}
Card& card() {
    static Card* const it = open_card();
    return *it;
}

bool is_gone(int pid) { return kill(pid, 0) != 0 && errno == ESRCH; }

Entry* find_own() {
    for (Entry& entry : card().entries) {
        int owner = entry.pid.load();
        constexpr int kBeingCleared = -1;
        if (owner <= 0 || owner == getpid() || !is_gone(owner)) continue;
        if (!entry.pid.compare_exchange_strong(owner, kBeingCleared)) continue;
        entry.bytes = entry.away = 0;
        entry.state = kRunning;
        entry.pid = 0;
    }
    for (Entry& entry : card().entries) {
        int nobody = 0;
        if (entry.pid.load() == getpid() || entry.pid.compare_exchange_strong(nobody, getpid())) return &entry;
    }
    std::abort();
}
Entry& own() {
    static Entry* const it = find_own();
    return *it;
}

Entry* entry_of(int pid) {
    for (Entry& entry : card().entries)
        if (entry.pid.load() == pid) return &entry;
    return nullptr;
}

}  // namespace

void wait_while_locked() {
    if (!is_shared()) return;
    while (own().state.load() != kRunning) usleep(1000);
}

int checkpoint_state(int pid) {
    const Entry* const entry = entry_of(pid);
    return entry != nullptr ? entry->state.load() : -1;
}

bool change_checkpoint(int pid, int from, int to) {
    Entry* const entry = entry_of(pid);
    if (entry == nullptr || !entry->state.compare_exchange_strong(from, to)) return false;
    if (to == kCheckpointed) entry->away = entry->bytes.exchange(0);
    if (from == kCheckpointed) entry->bytes += entry->away.exchange(0);
    if (from != kCheckpointed || card_bytes() <= memory_of_device()) return true;
    entry->away = entry->bytes.exchange(0);
    entry->state = kCheckpointed;
    return false;
}

size_t card_bytes() {
    size_t sum = 0;
    for (const Entry& entry : card().entries) {
        const int pid = entry.pid.load();
        if (pid > 0 && !is_gone(pid)) sum += entry.bytes.load();
    }
    return sum;
}

bool take_card_bytes(size_t bytes) {
    own().bytes += bytes;
    if (card_bytes() <= memory_of_device()) return true;
    own().bytes -= bytes;
    return false;
}

void give_card_bytes(size_t bytes) { own().bytes -= bytes; }

}  // namespace fake
