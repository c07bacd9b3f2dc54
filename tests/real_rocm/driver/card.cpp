#include "card.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>

namespace kfd {
namespace {

constexpr uint64_t kUsualBytes = uint64_t{190} << 30;
constexpr int kMostProcesses = 64;

struct Entry {
    std::atomic<int> pid;
    std::atomic<uint64_t> bytes;
};
struct Card {
    Entry entries[kMostProcesses];
};

Card* open_card() {
    const char* path = std::getenv("KFD_EMULATOR_DEVICE");
    const std::string name = path != nullptr && *path != '\0' ? std::string(path) + ".memory" : "";
    const int file = !name.empty() ? open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
    const bool shared = file >= 0 && ftruncate(file, sizeof(Card)) == 0;
    const int how = shared ? MAP_SHARED : MAP_SHARED | MAP_ANONYMOUS;
    void* memory = mmap(nullptr, sizeof(Card), PROT_READ | PROT_WRITE, how, shared ? file : -1, 0);
    if (file >= 0) close(file);
    if (memory == MAP_FAILED) give_up("no memory for the card's bytes");
    return static_cast<Card*>(memory);
}
Card& card() {
    static Card& it = *open_card();
    return it;
}

bool is_gone(int pid) { return kill(pid, 0) != 0 && errno == ESRCH; }

Entry& own() {
    const int us = getpid();
    for (Entry& entry : card().entries) {
        int owner = entry.pid.load();
        if (owner != us && owner != 0 && is_gone(owner) && entry.pid.compare_exchange_strong(owner, us)) {
            entry.bytes = 0;
            return entry;
        }
        owner = 0;
        if (entry.pid.load() == us || entry.pid.compare_exchange_strong(owner, us)) return entry;
    }
    give_up("more than %d processes share the card", kMostProcesses);
}

uint64_t whole() {
    const char* asked = std::getenv("KFD_EMULATOR_MEMORY");
    return asked != nullptr ? std::strtoull(asked, nullptr, 10) : kUsualBytes;
}

uint64_t used() {
    uint64_t sum = 0;
    for (const Entry& entry : card().entries)
        if (const int pid = entry.pid.load(); pid != 0 && !is_gone(pid)) sum += entry.bytes.load();
    return sum;
}

}  // namespace

bool take_card_bytes(uint64_t bytes) {
    own().bytes += bytes;
    if (used() <= whole()) return true;
    own().bytes -= bytes;
    return false;
}

void give_card_bytes(uint64_t bytes) { own().bytes -= bytes; }

uint64_t free_card_bytes() {
    const uint64_t taken = used();
    return taken < whole() ? whole() - taken : 0;
}

}  // namespace kfd
